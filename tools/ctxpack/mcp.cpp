#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "manager.hpp"
#include "stores.hpp"

/// \file
/// The Model Context Protocol over standard input and output: one JSON-RPC message a line. Its tools are `fit_messages` and,
/// with a session, the context tools.
namespace ctxpack {
namespace {

using OrderedJson = nlohmann::ordered_json;  // A request keeps the order of its keys.

constexpr const char* protocol_version = "2025-06-18";
constexpr int parse_error = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr int invalid_params = -32602;

constexpr const char* tool_failure = "error: ";  // What ContextTools begin with where a call failed.

struct McpOptions {
  std::string store;
  std::string session;
};

std::string text_of(const OrderedJson& value) {
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson content(const std::string& text, bool is_error) {
  return {{"content", OrderedJson::array({{{"type", "text"}, {"text", text}}})}, {"isError", is_error}};
}

OrderedJson fit_definition() {
  const OrderedJson schema = {
      {"type", "object"},
      {"properties",
       {{"request",
         {{"type", "object"}, {"description", "A chat request: messages, and attachments, model and tools"}}},
        {"budget", {{"type", "integer"}, {"minimum", 0}, {"description", "Most input tokens"}}}}},
      {"required", OrderedJson::array({"request", "budget"})}};
  return {{"name", "fit_messages"},
          {"description",
           "Fits a chat request and its attachments into a token budget, by relevance to its question. "
           "Returns the request to send and the receipt."},
          {"inputSchema", schema}};
}

class McpServer {
 public:
  explicit McpServer(std::shared_ptr<ctxmgr::ContextStore> session) : session_(std::move(session)) {
    ctxmgr::ContextManagerOptions options;
    options.token_counters = exact_counters();
    manager_ = ctxmgr::ContextManager(std::move(options));
    if (session_ != nullptr) tools_.emplace(session_);
  }

  /// What answers a line; nothing where it is a notification.
  [[nodiscard]] std::optional<OrderedJson> answer(const std::string& line) const {
    const auto message = OrderedJson::parse(line, nullptr, false);
    if (message.is_discarded()) return failure(nullptr, parse_error, "malformed JSON");
    const auto method = message.is_object() ? message.find("method") : message.end();
    if (!message.is_object() || method == message.end() || !method->is_string())
      return failure(nullptr, invalid_request, "expected a request with a method");
    const auto id = message.find("id");
    if (id == message.end()) return std::nullopt;
    const auto params = message.find("params");
    return handle(*id, method->get<std::string>(), params != message.end() ? *params : OrderedJson::object());
  }

 private:
  static OrderedJson success_of(const OrderedJson& id, OrderedJson result) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
  }
  static OrderedJson failure(const OrderedJson& id, int code, const std::string& message) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
  }

  [[nodiscard]] OrderedJson handle(const OrderedJson& id, const std::string& method, const OrderedJson& params) const {
    if (method == "initialize") {
      return success_of(id, {{"protocolVersion", protocol_version},
                             {"capabilities", {{"tools", OrderedJson::object()}}},
                             {"serverInfo", {{"name", "ctxpack"}, {"version", CTXPACK_VERSION}}}});
    }
    if (method == "ping") return success_of(id, OrderedJson::object());
    if (method == "tools/list") return success_of(id, {{"tools", definitions()}});
    if (method == "tools/call") return call(id, params);
    return failure(id, method_not_found, "there is no method " + method);
  }

  [[nodiscard]] OrderedJson definitions() const {
    OrderedJson definitions = OrderedJson::array({fit_definition()});
    if (!tools_) return definitions;
    for (const auto& tool : tools_->definitions()) {
      const auto schema = OrderedJson::parse(tool.parameters_json, nullptr, false);
      definitions.push_back({{"name", tool.name}, {"description", tool.description}, {"inputSchema", schema}});
    }
    return definitions;
  }

  [[nodiscard]] OrderedJson call(const OrderedJson& id, const OrderedJson& params) const {
    const auto name = params.is_object() ? params.find("name") : params.end();
    if (!params.is_object() || name == params.end() || !name->is_string())
      return failure(id, invalid_params, "expected the name of a tool");
    const auto given = params.find("arguments");
    const OrderedJson arguments = given != params.end() ? *given : OrderedJson::object();
    if (*name == "fit_messages") return success_of(id, fit(arguments));
    if (!tools_ || !tools_->handles(name->get_ref<const std::string&>()))
      return failure(id, invalid_params, "there is no tool " + name->get<std::string>());
    ctxmgr::ToolCall tool_call;
    tool_call.id = "call";
    tool_call.name = name->get<std::string>();
    tool_call.arguments_json = text_of(arguments);
    const auto result = tools_->run(tool_call);
    const auto text = ctxmgr::text_of(result);
    return success_of(id, content(text, text.rfind(tool_failure, 0) == 0));
  }

  [[nodiscard]] OrderedJson fit(const OrderedJson& arguments) const {
    const auto request = arguments.find("request");
    const auto budget = arguments.find("budget");
    if (!arguments.is_object() || request == arguments.end() || budget == arguments.end() ||
        !budget->is_number_unsigned())
      return content("expected a request and a budget", true);
    ctxmgr::BuildRequest options;
    options.budget.max_input_tokens = budget->get<std::int64_t>();
    options.planning.mode = ctxmgr::PlannerMode::deterministic;
    options.archive = session_;
    if (session_ != nullptr) options.scope = session_->session_id();
    const auto body = text_of(*request);
    const auto form = ctxmgr::is_anthropic_request(body) ? ctxmgr::WireForm::anthropic : ctxmgr::WireForm::openai;
    const auto built = ctxmgr::build_wire(manager_, form, body, {options});
    if (!built) return content(built.error().message, true);
    return content("{\"request\":" + built->body + ",\"metadata\":" + ctxmgr::to_json(built->metadata) + "}", false);
  }

  std::shared_ptr<ctxmgr::ContextStore> session_;
  std::optional<ctxmgr::ContextTools> tools_;
  ctxmgr::ContextManager manager_;
};

int run_mcp(const McpOptions& options) {
  std::shared_ptr<ctxmgr::ContextStore> session;
  if (!options.store.empty()) {
    auto opened = open_session(options.store, options.session, MissingFile::create);
    if (!opened) return report(opened.error());
    session = std::move(*opened);
  }
  const McpServer server(std::move(session));
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (const auto answer = server.answer(line)) std::cout << text_of(*answer) << std::endl;
  }
  return success;
}

}  // namespace

void add_mcp(const Command& program) {
  const auto options = std::make_shared<McpOptions>();
  const Command command = program.add_command("mcp",
                                              "Serves the Model Context Protocol on standard input and output: a tool "
                                              "that fits messages, and those of a session");
  Argument session = command.add("--session", options->session, "Session that the context tools read and write");
  const Argument store =
      command.add("--store", options->store, "Store of the session: sqlite:PATH or redis://host:port/db")
          .needs(session);
  session.needs(store);
  command.show_after_help("Example, as a client's configuration:\n  \"command\": \"ctxpack\", \"args\": [\"mcp\"]");
  command.run([options] { return run_mcp(*options); });
}

}  // namespace ctxpack
