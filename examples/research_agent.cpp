// An agent that reads sources for a question, and that may be interrupted at any step: what it has found, its conversation
// and its thread state are kept in a session, so that a new process goes on where the last one stopped, with requests that
// begin as before.
//
//     research_agent agent.db session-1 --stop-after 2      # interrupted
//     research_agent agent.db session-1                     # goes on, and answers
//     OPENAI_API_KEY=… research_agent agent.db session-1 --service openai --model gpt-5.4-mini
//     ANTHROPIC_API_KEY=… research_agent agent.db session-1 --service anthropic --model claude-sonnet-5
//     research_agent agent.db session-1 --service llama_cpp --base-url http://127.0.0.1:8080/v1 --model qwen2.5-7b
//
// Without --service, a scripted model plays its part: no key, no network.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/ctxmgr.hpp"
#ifdef EXAMPLE_WITH_CURL
#include "ctxmgr/adapters/curl_llm_client.hpp"
#endif

using namespace ctxmgr;

namespace {

constexpr std::int64_t smallest_window = 8'192;
constexpr auto question = "What do the suppliers ask for late payments, and who changed the terms last?";

// The world that the agent can look at. A real one would fetch pages.
const std::map<std::string, std::string> sources = {
    {"supplier-a", "Terms of supplier A. Invoices are due within 30 days. Late payments cost 1.5 % a month."},
    {"supplier-b",
     "Terms of supplier B, changed in March. Invoices are due within 14 days. Late payments cost 2 % a month."},
    {"supplier-c", "Terms of supplier C. Invoices are due within 45 days. There is no charge for late payments."},
};

ToolDefinition fetch_tool() {
  ToolDefinition tool;
  tool.name = "fetch";
  tool.description = "Fetches a source and stores it in the session. Sources: supplier-a, supplier-b, supplier-c.";
  tool.parameters_json = R"({"type":"object","properties":{"source":{"type":"string"}},"required":["source"]})";
  return tool;
}

/// Fetches a document, stores it under its name, and tells the model where it is instead of repeating it.
ConversationMessage run_fetch(const ToolCall& call, ContextStore& session) {
  ConversationMessage answer;
  answer.role = Role::tool;
  answer.tool_call_id = call.id;
  answer.content = "error: no such source";
  for (const auto& [name, text] : sources) {
    if (call.arguments_json.find(name) == std::string::npos) continue;
    const auto stored = session.set("source:" + name, text);
    answer.content = stored ? "stored; read it with get_context(\"source:" + name + "\")" : stored.error().message;
  }
  return answer;
}

// ---- The scripted model: it decides by what the conversation shows, as a model would. ----

bool was_said(const std::vector<ConversationMessage>& messages, const std::string& words) {
  return std::any_of(messages.begin(), messages.end(), [&](const ConversationMessage& message) {
    return message.role == Role::tool && text_of(message).find(words) != std::string::npos;
  });
}

Result<LlmResponse> scripted_model(const LlmRequest& request, const CallOptions&) {
  const auto call_tool = [&](std::string name, std::string arguments) {
    LlmResponse response;
    response.message.role = Role::assistant;
    response.message.tool_calls.push_back(
        {"call-" + std::to_string(request.messages.size()), std::move(name), std::move(arguments), {}});
    response.finish_reason = FinishReason::tool_calls;
    return response;
  };
  const auto& messages = request.messages;
  if (!was_said(messages, "\"keys\"")) return call_tool("list_context", "{}");
  for (const auto& [name, text] : sources) {
    if (!was_said(messages, "source:" + name)) return call_tool("fetch", "{\"source\": \"" + name + "\"}");
  }
  if (!was_said(messages, "\"passages\"")) return call_tool("search_context", R"({"words": "late payments changed"})");
  if (!was_said(messages, "under \"answer\"")) {
    return call_tool(
        "set_context",
        R"({"key": "answer", "value": "A asks 1.5 % a month, B 2 %, C nothing; B changed its terms last, in March."})");
  }
  LlmResponse response;
  response.message = {Role::assistant, "A asks 1.5 % a month, B 2 %, C nothing; B changed its terms last, in March."};
  return response;
}

// ---- The agent. ----

struct Arguments {
  std::string path;
  std::string session;
  std::string service;
  std::string base_url;
  std::string model = "gpt-5.4-mini";
  int stop_after = 20;
};

std::shared_ptr<LlmClient> make_client(const Arguments& arguments) {
  if (arguments.service.empty()) return make_llm_client(scripted_model);
#ifdef EXAMPLE_WITH_CURL
  auto options = CurlLlmClientOptions::from_environment();  // the key
  if (!arguments.base_url.empty()) options.base_url = arguments.base_url;
  // The one line that knows the service: all else is the same for each.
  options.wire_format = arguments.service == "anthropic" ? WireFormat::anthropic_messages : WireFormat::openai_chat;
  options.message_shape = message_shape(arguments.service);
  auto client = make_curl_llm_client(options);
  if (client) return std::move(*client);
  std::cerr << client.error().message << '\n';
#else
  std::cerr << "built without the HTTP client\n";
#endif
  return nullptr;
}

// Keys of the host's own, which no agent sees.
constexpr auto thread_key = "host:thread";
constexpr auto state_key = "host:state";

/// After each step, so that nothing is done twice.
Result<void> save(ContextStore& session, const std::vector<ConversationMessage>& history, const ThreadState& state) {
  if (const auto stored = session.set(thread_key, to_json(history)); !stored) return tl::unexpected(stored.error());
  if (const auto stored = session.set(state_key, state.opaque); !stored) return tl::unexpected(stored.error());
  return {};
}

/// What an earlier process left; nothing where there was none. Without its state a thread goes on, too, only less cheaply.
bool load(ContextStore& session, std::vector<ConversationMessage>& history, ThreadState& state) {
  const auto thread = session.get(thread_key);
  if (!thread || !*thread) return false;
  auto messages = from_json<std::vector<ConversationMessage>>((*thread)->value);
  if (!messages) return false;
  history = std::move(*messages);
  if (const auto kept = session.get(state_key); kept && *kept) state.opaque = (*kept)->value;
  return true;
}

/// Runs the loop until the model answers. Exit code 3: interrupted.
int research(const Arguments& arguments, const std::shared_ptr<ContextStore>& session, LlmClient& client) {
  const ContextTools tools(session->as_agent("researcher"));
  const ContextManager manager;
  Context context;
  context.conversation_history = {
      {Role::system, "You research a question. First see what is stored already. " + std::string(tools.instructions())},
      {Role::user, question}};
  BuildRequest request;
  request.models.primary = arguments.model;
  request.shape = message_shape(arguments.service);  // counted inside the budget
  if (!manager.catalog().find(arguments.model).known) request.budget.context_window_tokens = smallest_window;
  request.tools = tools.definitions();
  request.tools.push_back(fetch_tool());
  request.scope = session->session_id();
  request.archive = session;  // what a build shortens stays readable by get_context
  auto& history = context.conversation_history;
  if (load(*session, history, request.thread_state)) std::cout << "going on after " << history.size() << " messages\n";

  for (int step = 1; step <= arguments.stop_after; ++step) {
    auto built = manager.build(context, request);
    if (!built) return std::cerr << built.error().message << '\n', 1;
    request.thread_state = built->thread_state;
    LlmRequest to_send;
    to_send.model = arguments.model;
    to_send.messages = std::move(built->messages);
    to_send.tools = request.tools;
    const auto reply = client.complete(to_send, {});
    if (!reply) return std::cerr << reply.error().message << '\n', 1;
    history.push_back(reply->message);
    if (reply->message.tool_calls.empty()) {
      if (const auto saved = save(*session, history, request.thread_state); !saved)
        return std::cerr << saved.error().message << '\n', 1;
      std::cout << "answer: " << text_of(reply->message) << '\n';
      return 0;
    }
    for (const auto& call : reply->message.tool_calls) {
      const auto result = tools.handles(call.name) ? tools.run(call) : run_fetch(call, *session);
      // What is too large for a conversation waits in the session, where the model can read and search it.
      history.push_back(offload(result, *session).value_or(result));
      std::cout << "step " << step << ": " << call.name << ' ' << call.arguments_json << "\n  -> "
                << text_of(history.back()).substr(0, 100) << '\n';
    }
    if (const auto saved = save(*session, history, request.thread_state); !saved)
      return std::cerr << saved.error().message << '\n', 1;
  }
  std::cout << "interrupted\n";
  return 3;
}

bool parse(int argc, char** argv, Arguments& arguments) {
  if (argc < 3) return false;
  arguments.path = argv[1];
  arguments.session = argv[2];
  for (int i = 3; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--stop-after") {
      arguments.stop_after = std::atoi(argv[i + 1]);
    } else if (option == "--service") {
      arguments.service = argv[i + 1];
    } else if (option == "--base-url") {
      arguments.base_url = argv[i + 1];
    } else if (option == "--model") {
      arguments.model = argv[i + 1];
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::cerr << "usage: research_agent FILE SESSION [--stop-after STEPS] [--service openai|anthropic|llama_cpp]\n"
                 "       [--base-url URL] [--model NAME]\n";
    return 2;
  }
  SqliteOptions file;
  file.path = arguments.path;
  auto store = make_sqlite_key_value_store(file);
  if (!store) return std::cerr << store.error().message << '\n', 1;
  ContextStoreOptions options;
  options.session_id = arguments.session;
  options.store = std::move(*store);
  options.rules = {{"", "host:", Access::none}};
  const auto session = ContextStore::open(std::move(options));
  if (!session) return std::cerr << session.error().message << '\n', 1;
  const auto client = make_client(arguments);
  return client ? research(arguments, *session, *client) : 1;
}
