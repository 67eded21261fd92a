#include "proxy_server.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <iterator>
#include <mutex>
#include <system_error>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/ports/gen_ai_observer.hpp"
#include "manager.hpp"
#include "serve/access.hpp"
#include "serve/pausing_store.hpp"
#include "stores.hpp"

namespace ctxpack {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;

// With what the page, bodies and streams take, and the vocabularies: docs/proof/measured.md has how much that comes to.
constexpr std::size_t most_stored_bytes = std::size_t{32} << 20;
constexpr std::size_t most_analysed_bytes = std::size_t{32} << 20;
constexpr std::size_t most_answer_bytes = std::size_t{512} << 20;  // Of a file, say; it passes in pieces.
constexpr std::chrono::seconds store_pause{5};
constexpr std::chrono::hours kept_for{30 * 24};

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

Result<ctxmgr::HttpRelay> open_relay(const ProxySettings& options) {
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

/// Standard error. A reader that stands still or has gone costs lines, and never a request.
class LineLog {
 public:
  void write(const std::string& line) {
    const std::lock_guard lock(mutex_);
    pollfd entry{STDERR_FILENO, POLLOUT, 0};
    const bool is_ready = poll(&entry, 1, 0) > 0 && (entry.revents & POLLOUT) != 0;
    const auto text = lost_ > 0 ? "{\"lines_lost\":" + std::to_string(lost_) + "}\n" + line : line;
    if (is_ready && ::write(STDERR_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()))
      lost_ = 0;
    else
      ++lost_;
  }

 private:
  std::mutex mutex_;
  std::int64_t lost_ = 0;
};

/// Null without a path.
Result<std::shared_ptr<ctxmgr::Observer>> open_events(const std::string& path) {
  if (path.empty()) return std::shared_ptr<ctxmgr::Observer>();
  // For the user alone: who asks which model what, and when.
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made >= 0) close(made);
  const auto file = std::make_shared<std::ofstream>(path, std::ios::app | std::ios::binary);
  if (made < 0 || !*file) return fail(ErrorCode::invalid_argument, "--events: " + path + " cannot be written");
  return std::shared_ptr<ctxmgr::Observer>(ctxmgr::make_gen_ai_observer([file](std::string_view line) {
    file->clear();  // A disk that was full may have room again.
    *file << line << std::flush;
  }));
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

Result<serve::ProxyOptions> open_proxy(const ProxySettings& options, const Address& address) {
  serve::ProxyOptions proxy;
  proxy.token = options.token;
  const bool is_local = serve::is_loopback(address.host) || address.host == "::1";
  if (!is_local && proxy.token.empty())
    return fail(ErrorCode::invalid_argument, "--listen: other machines could use the proxy at " + options.listen +
                                                 "; set CTXPACK_SERVE_TOKEN to a token that they have to send");
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
  proxy.tells_room = options.tell_room;
  proxy.only_known = options.only_known;
  if (options.log_json) {
    proxy.log_line = [log = std::make_shared<LineLog>()](const std::string& line) { log->write(line); };
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
  const auto counters = manager.token_counters;
  proxy.manager = ctxmgr::ContextManager(std::move(manager));
  if (options.shadow) {
    if (!proxy.budget) return fail(ErrorCode::invalid_argument, "--shadow: say by --budget what is to be looked at");
    serve::ShadowOptions shadow{proxy.manager, counters, *proxy.budget, {}};
    if (options.says_verdicts)
      shadow.on_verdict = [log = std::make_shared<LineLog>()](const std::string& words) { log->write(words + "\n"); };
    proxy.shadow = std::make_shared<serve::Shadow>(std::move(shadow));
  }
  return proxy;
}

http::Limits limits_of(const ProxySettings& options) {
  http::Limits limits;
  limits.workers = static_cast<std::size_t>(options.streams);
  limits.connections = static_cast<std::size_t>(std::max(options.connections, options.streams));
  limits.connections_per_address = static_cast<std::size_t>(options.connections_per_address);
  limits.body_bytes = static_cast<std::size_t>(options.body_mebibytes) << 20;
  limits.head_time = std::chrono::seconds(options.head_seconds);
  return limits;
}

}  // namespace

void prepare_proxy_process() {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
#ifndef __SANITIZE_ADDRESS__  // Its leak checker is a debugger.
  static_cast<void>(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
#endif
#ifdef M_ARENA_MAX
  // Large bodies go back to the system when they are done with, instead of staying in as many heaps as there are threads.
  constexpr int heaps = 2;
  constexpr int large_bytes = 256 << 10;
  static_cast<void>(mallopt(M_ARENA_MAX, heaps));
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, large_bytes));
  static_cast<void>(mallopt(M_TRIM_THRESHOLD, large_bytes));
#endif
}

void set_limits_of_a_server() {
  const rlimit none{0, 0};
  static_cast<void>(setrlimit(RLIMIT_CORE, &none));
  rlimit files{};  // Two for each stream, and some for the rest.
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &files));
}

ProxyServer::ProxyServer(serve::ProxyOptions options, const http::Limits& limits)
    : shadow_(options.shadow), proxy_(std::move(options)), server_(limits, proxy_.handler()) {}

ProxyServer::~ProxyServer() {
  proxy_.stop();
  server_.cut();
  if (listener_.joinable()) listener_.join();
}

Result<std::unique_ptr<ProxyServer>> ProxyServer::open(const ProxySettings& settings) {
  const auto address = parse_address(settings.listen);
  if (!address) return tl::unexpected(address.error());
  auto options = open_proxy(settings, *address);
  if (!options) return tl::unexpected(options.error());
  auto proxy = std::make_unique<ProxyServer>(std::move(*options), limits_of(settings));
  const int port = proxy->server_.bind(address->host, address->port);
  if (port <= 0)
    return fail(ErrorCode::invalid_argument,
                "--listen: cannot listen on " + settings.listen + "; is the port taken? Name another ADDRESS:PORT");
  if (auto started = proxy->start(settings.streams); !started) return tl::unexpected(started.error());
  proxy->url_ = "http://" + (address->host == "::1" ? "[::1]" : address->host) + ":" + std::to_string(port);
  return proxy;
}

/// The thread that listens comes first: without it the others have nothing to do.
Result<void> ProxyServer::start(std::int64_t streams) {
  std::promise<void> go;
  try {
    listener_ = std::thread([this, ready = go.get_future()] {
      ready.wait();
      server_.run();
    });
  } catch (const std::system_error&) {
    return fail(ErrorCode::limit_exceeded, "the system lets this process make no threads");
  }
  const auto made = server_.start();
  if (made == 0) server_.stop();
  go.set_value();
  if (made == 0) return fail(ErrorCode::limit_exceeded, "the system lets this process make no threads for requests");
  if (made < static_cast<std::size_t>(streams))
    std::cerr << "ctxpack: the system lets this process make only " << made << " of " << streams
              << " threads; further requests wait" << std::endl;
  return {};
}

void ProxyServer::drain(std::chrono::seconds patience, const std::function<bool()>& is_enough) {
  constexpr std::chrono::milliseconds slice{50};
  constexpr std::chrono::seconds for_last_words{1};
  proxy_.drain();
  auto until = std::chrono::steady_clock::now() + patience;
  bool is_cancelled = false;
  while (server_.busy() > 0 && !is_enough()) {
    if (std::chrono::steady_clock::now() >= until) {
      if (is_cancelled) break;
      is_cancelled = true;
      proxy_.stop();  // Who still waits for an answer is told so.
      until = std::chrono::steady_clock::now() + for_last_words;
    }
    std::this_thread::sleep_for(slice);
  }
}

}  // namespace ctxpack
