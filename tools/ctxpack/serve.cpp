#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "command.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/ports/gen_ai_observer.hpp"
#include "http/server.hpp"
#include "manager.hpp"
#include "serve/access.hpp"
#include "serve/pausing_store.hpp"
#include "serve/proxy.hpp"
#include "stores.hpp"

namespace ctxpack {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;

constexpr const char* token_variable = "CTXPACK_SERVE_TOKEN";
// With what the page, bodies and streams take, and the vocabularies: docs/measured.md has how much that comes to.
constexpr std::size_t most_stored_bytes = std::size_t{32} << 20;
constexpr std::size_t most_analysed_bytes = std::size_t{32} << 20;
constexpr std::size_t most_answer_bytes = std::size_t{512} << 20;  // Of a file, say; it passes in pieces.
constexpr std::chrono::seconds store_pause{5};
constexpr std::chrono::hours kept_for{30 * 24};

struct ServeOptions {
  std::string upstream;
  std::string listen = "127.0.0.1:8790";
  std::string store;
  std::string events;
  std::string tool_rules;
  std::string memory_header;
  std::string summarizer_url;
  std::string summarizer_model;
  std::int64_t budget = -1;
  std::int64_t summarizer_tokens = 1'000'000;
  std::int64_t streams = 256;
  std::int64_t first_byte_seconds = 600;
  std::int64_t idle_seconds = 120;
  std::int64_t tools_budget = -1;
  std::int64_t connections = 512;
  std::int64_t connections_per_address = 64;
  std::int64_t body_mebibytes = 64;
  std::int64_t head_seconds = 10;
  std::int64_t grace_seconds = 30;
  bool allow_plain_http = false;
  bool context_tools = false;
  bool only_known = false;
  bool log_json = false;
};

struct Address {
  std::string host{};
  int port = 0;
};

/// "127.0.0.1:8790", "[::1]:0", ":8790" (all addresses).
Result<Address> parse_address(const std::string& text) {
  const auto colon = text.rfind(':');
  const auto digits = colon == std::string::npos ? std::string() : text.substr(colon + 1);
  constexpr std::size_t most_digits = 5;
  constexpr int most_port = 65'535;
  const bool is_number =
      !digits.empty() && digits.size() <= most_digits && digits.find_first_not_of("0123456789") == std::string::npos;
  const int port = is_number ? std::atoi(digits.c_str()) : -1;
  if (port < 0 || port > most_port)
    return fail(ErrorCode::invalid_argument, "--listen: expected ADDRESS:PORT, such as 127.0.0.1:8790");
  auto host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return Address{host.empty() ? "0.0.0.0" : host, port};
}

/// Every path of a request begins with its version already, and services have some without one.
std::string without_version(std::string url) {
  constexpr std::string_view version = "/v1";
  while (!url.empty() && url.back() == '/') url.pop_back();
  if (url.size() > version.size() && url.compare(url.size() - version.size(), version.size(), version) == 0)
    url.resize(url.size() - version.size());
  return url;
}

Result<ctxmgr::HttpRelay> open_relay(const ServeOptions& options) {
  ctxmgr::CurlLlmClientOptions client;
  client.base_url = without_version(options.upstream);
  client.max_parallel = static_cast<std::size_t>(options.streams);
  client.first_byte_timeout = std::chrono::seconds(options.first_byte_seconds);
  client.idle_timeout = std::chrono::seconds(options.idle_seconds);
  client.total_timeout = std::chrono::hours(1);
  client.max_response_bytes = most_answer_bytes;
  client.allow_plain_http = options.allow_plain_http;
  auto relay = ctxmgr::make_http_relay(client);
  if (!relay) return fail(relay.error().code, "--upstream: " + relay.error().message);
  return relay;
}

Result<std::shared_ptr<ctxmgr::KeyValueStore>> open_store(const std::string& url) {
  if (!url.empty()) {
    auto store = open_key_value_store(url, MissingFile::create);
    if (!store) return store;
    return serve::pausing(std::move(*store), store_pause);
  }
  ctxmgr::MemoryKeyValueStoreOptions memory;
  memory.max_bytes = most_stored_bytes;
  memory.evict_when_full = true;
  return std::shared_ptr<ctxmgr::KeyValueStore>(ctxmgr::make_memory_key_value_store(memory));
}

/// Null without a path.
Result<std::shared_ptr<ctxmgr::Observer>> open_events(const std::string& path) {
  if (path.empty()) return std::shared_ptr<ctxmgr::Observer>();
  // For the user alone: who asks which model what, and when.
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made >= 0) close(made);
  const auto file = std::make_shared<std::ofstream>(path, std::ios::app | std::ios::binary);
  if (made < 0 || !*file) return fail(ErrorCode::invalid_argument, "--events: " + path + " cannot be written");
  return std::shared_ptr<ctxmgr::Observer>(
      ctxmgr::make_gen_ai_observer([file](std::string_view line) { *file << line << std::flush; }));
}

Result<ctxmgr::ToolRules> read_tool_rules(const std::string& path) {
  if (path.empty()) return ctxmgr::ToolRules();
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open()) return fail(ErrorCode::invalid_argument, "--tool-rules: " + path + " cannot be read");
  auto rules = ctxmgr::from_json<ctxmgr::ToolRules>(text);
  if (!rules) return fail(rules.error().code, "--tool-rules: " + rules.error().message);
  if (auto checked = ctxmgr::check_tool_rules(*rules); !checked)
    return fail(checked.error().code, "--tool-rules: " + checked.error().message);
  return rules;
}

Result<serve::ProxyOptions> open_proxy(const ServeOptions& options, const Address& address) {
  serve::ProxyOptions proxy;
  const char* const token = std::getenv(token_variable);
  proxy.token = token == nullptr ? "" : token;
  const bool is_local = serve::is_loopback(address.host) || address.host == "::1";
  if (!is_local && proxy.token.empty())
    return fail(ErrorCode::invalid_argument, "--listen: other machines could use the proxy at " + options.listen +
                                                 "; set " + token_variable + " to a token that they have to send");
  auto relay = open_relay(options);
  if (!relay) return tl::unexpected(relay.error());
  auto store = open_store(options.store);
  if (!store) return tl::unexpected(store.error());
  auto events = open_events(options.events);
  if (!events) return tl::unexpected(events.error());
  auto rules = read_tool_rules(options.tool_rules);
  if (!rules) return tl::unexpected(rules.error());
  proxy.tool_rules = std::move(*rules);
  for (const char c : options.memory_header) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_')
      return fail(ErrorCode::invalid_argument, "--memory: expected the name of a header, such as x-user");
    proxy.memory_header += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  proxy.relay = std::move(*relay);
  proxy.memory_store = *store;  // What a user's memory holds does not expire.
  proxy.store = serve::expiring(std::move(*store), kept_for);
  proxy.answers_context_tools = options.context_tools;
  proxy.only_known = options.only_known;
  if (options.log_json) {
    proxy.log_line = [mutex = std::make_shared<std::mutex>()](const std::string& line) {
      const std::lock_guard lock(*mutex);
      std::cerr << line << std::flush;
    };
  }
  if (options.budget >= 0) proxy.budget = options.budget;
  if (options.tools_budget >= 0) proxy.tools_budget = options.tools_budget;
  ctxmgr::ContextManagerOptions manager;
  manager.token_counters = exact_counters();
  manager.observer = std::move(*events);
  manager.analysis_cache_bytes = most_analysed_bytes;
  warn_of_unknown_model("--summarizer-model", options.summarizer_model);
  if (!options.summarizer_url.empty()) {
    auto client = open_client(options.summarizer_url, "--summarizer-url");
    if (!client) return tl::unexpected(client.error());
    manager.client = std::move(*client);
    manager.summary_store = proxy.store;
    manager.summary_ttl = kept_for;
    proxy.summary_tokens_per_hour = options.summarizer_tokens;
    proxy.summarizer = options.summarizer_model;
  }
  proxy.manager = ctxmgr::ContextManager(std::move(manager));
  return proxy;
}

http::Limits limits_of(const ServeOptions& options) {
  http::Limits limits;
  limits.workers = static_cast<std::size_t>(options.streams);
  limits.connections = static_cast<std::size_t>(std::max(options.connections, options.streams));
  limits.connections_per_address = static_cast<std::size_t>(options.connections_per_address);
  limits.body_bytes = static_cast<std::size_t>(options.body_mebibytes) << 20;
  limits.head_time = std::chrono::seconds(options.head_seconds);
  return limits;
}

/// Two descriptors for each stream, and some for the rest. Large bodies go back to the system when they are done with, instead
/// of staying in as many heaps as there are threads.
void prepare_process() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    static_cast<void>(setrlimit(RLIMIT_NOFILE, &files));
  }
#ifdef M_ARENA_MAX
  constexpr int heaps = 2;
  constexpr int large_bytes = 256 << 10;
  static_cast<void>(mallopt(M_ARENA_MAX, heaps));
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, large_bytes));
  static_cast<void>(mallopt(M_TRIM_THRESHOLD, large_bytes));
#endif
}

/// Waits for the signal by which a person or a supervisor ends the program; then until the streams have ended, a second
/// signal, or the end of its patience.
void wait_for_the_end(const sigset_t& signals, serve::Proxy& proxy, std::chrono::seconds patience) {
  int signal = 0;
  sigwait(&signals, &signal);
  proxy.drain();
  const auto until = std::chrono::steady_clock::now() + patience;
  constexpr timespec slice{0, 50'000'000};
  while (proxy.ledger().totals().in_flight > 0 && std::chrono::steady_clock::now() < until) {
    if (sigtimedwait(&signals, nullptr, &slice) > 0) return;
  }
}

int run_serve(const ServeOptions& options) {
  const auto address = parse_address(options.listen);
  if (!address) return report(address.error());
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // Before there are threads, which would take them.
  prepare_process();
  auto proxy_options = open_proxy(options, *address);
  if (!proxy_options) return report(proxy_options.error());
  serve::Proxy proxy(std::move(*proxy_options));
  http::Server server(limits_of(options), proxy.handler());
  const int port = server.bind(address->host, address->port);
  if (port <= 0)
    return report({ErrorCode::invalid_argument,
                   "--listen: cannot listen on " + options.listen + "; is the port taken? Name another ADDRESS:PORT",
                   {}});
  std::cout << "http://" << (address->host == "::1" ? "[::1]" : address->host) << ':' << port << '\n'
            << "An agent's base URL is this one, with /v1 for OpenAI's form. In a browser it shows what is sent."
            << std::endl;
  std::thread listener([&server] { server.run(); });
  wait_for_the_end(signals, proxy, std::chrono::seconds(options.grace_seconds));
  proxy.stop();
  server.stop();
  listener.join();
  return success;
}

}  // namespace

namespace {

void add_limits(const Command& command, ServeOptions& options) {
  constexpr std::int64_t most = 65'536;
  command.add("--streams", options.streams, "Most requests at once (default 256)").in_range(1, 4'096);
  command.add("--connections", options.connections, "Most connections at once (default 512)").in_range(1, most);
  command
      .add("--connections-per-address", options.connections_per_address,
           "Most connections from one address (default 64); more where a server stands in front")
      .in_range(1, most);
  command.add("--max-body-mib", options.body_mebibytes, "Largest body of a request, in MiB (default 64)")
      .in_range(1, 1'024);
  command.add("--head-timeout", options.head_seconds, "Seconds for a request's head (default 10)").positive();
  command.add("--grace", options.grace_seconds, "Seconds that streams get to end after SIGTERM (default 30)")
      .in_range(0, 3'600);
  command
      .add("--first-byte-timeout", options.first_byte_seconds, "Most seconds of silence before an answer (default 600)")
      .positive();
  command.add("--idle-timeout", options.idle_seconds, "Most seconds between two pieces of an answer (default 120)")
      .positive();
}

void add_summaries(const Command& command, ServeOptions& options) {
  const Argument url = command.add(
      "--summarizer-url", options.summarizer_url,
      "Have summaries of what will be cut made early, in the background, by this OpenAI-compatible service; "
      "the key is OPENAI_API_KEY");
  command.add("--summarizer-model", options.summarizer_model, "Model for them (SUMMARIZER_MODEL)").needs(url);
  command
      .add("--summarizer-tokens", options.summarizer_tokens,
           "Most tokens that they take in an hour, prompts and replies (default 1000000)")
      .in_range(0, std::int64_t{1} << 40)
      .needs(url);
}

}  // namespace

void add_serve(const Command& program) {
  const auto options = std::make_shared<ServeOptions>();
  const Command command = program.add_command(
      "serve", "A proxy in front of a model's service: each request is fitted into the budget and sent on");
  command.add("--upstream", options->upstream, "Base URL of the service, such as https://api.openai.com/v1").required();
  command
      .add("--budget", options->budget, "Most input tokens of a request, tools included (default: the model's window)")
      .in_range(1, std::int64_t{1} << 40);
  command
      .add("--tools-budget", options->tools_budget,
           "Most tokens of tool definitions; the model finds the rest by a tool")
      .in_range(0, std::int64_t{1} << 40);
  command.add(
      "--store", options->store,
      "Where threads, attachments and receipts are kept: sqlite:PATH or redis://host:port/db (default: memory)");
  command.add("--listen", options->listen, "ADDRESS:PORT (default 127.0.0.1:8790; port 0: any)");
  command.add("--events", options->events, "File to which events are appended as JSON lines, by OpenTelemetry's names");
  command.add("--tool-rules", options->tool_rules,
              "File with rules by tool, as [{\"tool\": \"ls\", \"retention\": \"cut_first\"}]");
  command.add(
      "--memory", options->memory_header,
      "Give models a memory that lasts. The value is the header that names the user. Without a token, the key does");
  add_summaries(command, *options);
  add_limits(command, *options);
  command.add_flag(
      "--context-tools", options->context_tools,
      "Give models tools that read back what was left out. The proxy runs them; answers come when they are whole");
  command.add_flag("--only-known", options->only_known, "Send on only the paths that OpenAI and Anthropic document");
  command.add_flag("--log-json", options->log_json,
                   "Write a line of JSON for each request to standard error, without content");
  command.add_flag("--allow-plain-http", options->allow_plain_http,
                   "Reach another machine without TLS: keys and content travel in the clear");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack serve --upstream https://api.openai.com/v1 --budget 32000\n"
      "  ctxpack serve --upstream https://api.anthropic.com --budget 32000 --store sqlite:threads.db\n"
      "In the environment: CTXPACK_SERVE_TOKEN, which clients then send as x-ctxmgr-token.");
  command.run([options] { return run_serve(*options); });
}

}  // namespace ctxpack
