#pragma once
#include <gtest/gtest.h>
#include <httplib.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/server.hpp"
#include "serve/proxy.hpp"
#include "support/fault_server.hpp"

namespace ctxpack::serve::test {

using ctxmgr::test::FaultServer;
using ctxmgr::test::ReceivedRequest;
using ctxmgr::test::ServerConnection;

inline constexpr const char* canary_key = "sk-canary-0123456789abcdef";

inline std::string chat(const std::string& words, const std::string& more = {}) {
  return R"({"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":")" + words +
         "\"}]" + more + "}";
}

inline void answer_ok(ServerConnection& connection, const ReceivedRequest&, int) {
  connection.reply(200, R"({"choices":[{"message":{"content":"hello"}}],"usage":{"prompt_tokens":9}})",
                   {"content-type: application/json", "x-request-id: up-1"});
}

/// What an upstream was asked, but for its list of models.
inline std::vector<ReceivedRequest> posts_of(const FaultServer& upstream) {
  std::vector<ReceivedRequest> posts;
  for (auto& request : upstream.requests()) {
    if (request.method == "POST") posts.push_back(std::move(request));
  }
  return posts;
}

inline std::string long_conversation(int turns) {
  std::string messages = R"({"role":"user","content":"Keep the books."})";
  for (int i = 0; i < turns; ++i) {
    std::string words;
    for (int j = 0; j < 60; ++j) words += "entry " + std::to_string(i * 100 + j) + " ";
    messages += R"(,{"role":"assistant","content":"Noted."},{"role":"user","content":")" + words + R"("})";
  }
  return R"({"model":"gpt-4o","messages":[)" + messages + "]}";
}

/// A proxy that listens, in front of an upstream that says what its handler says.
class RunningProxy {
 public:
  explicit RunningProxy(const std::string& upstream, std::optional<std::int64_t> budget = {}, std::string token = {},
                        http::Limits limits = {}, bool answers_context_tools = false,
                        const std::function<void(ProxyOptions&)>& change = {}) {
    ctxmgr::CurlLlmClientOptions client;
    client.base_url = upstream;
    client.max_parallel = 256;
    ProxyOptions options;
    auto relay = ctxmgr::make_http_relay(client);
    EXPECT_TRUE(relay) << relay.error().message;
    options.relay = std::move(*relay);
    store = ctxmgr::make_memory_key_value_store();
    options.store = store;
    options.budget = budget;
    options.token = std::move(token);
    options.answers_context_tools = answers_context_tools;
    options.log_line = [this](const std::string& line) {
      const std::lock_guard lock(log_mutex_);
      log_ += line;
    };
    if (change) change(options);
    proxy = std::make_unique<Proxy>(std::move(options));
    limits.workers = 128;
    limits.connections_per_address = 256;
    limits.body_bytes = std::size_t{1} << 20;
    server = std::make_unique<http::Server>(limits, proxy->handler());
    port = server->bind("127.0.0.1", 0);
    EXPECT_GT(port, 0);
    listener_ = std::thread([this] { server->run(); });
  }
  RunningProxy(const RunningProxy&) = delete;
  RunningProxy& operator=(const RunningProxy&) = delete;
  ~RunningProxy() {
    proxy->stop();
    server->stop();
    listener_.join();
  }

  [[nodiscard]] httplib::Client client() const {
    httplib::Client client("127.0.0.1", port);
    client.set_read_timeout(30, 0);
    return client;
  }

  [[nodiscard]] httplib::Result post(const std::string& path, const std::string& body,
                                     const httplib::Headers& headers = {}) const {
    return client().Post(path, headers, body, "application/json");
  }

  /// Everything that is kept, as text.
  [[nodiscard]] std::string all_that_is_stored() const {
    std::string all;
    for (const char* name_space : {"ctxpack.threads", "ctxpack.receipts", "ctxpack.attachments"}) {
      const auto keys = store->list(name_space, {}, {}, 1'000, {});
      if (!keys) continue;
      for (const auto& key : *keys) {
        const auto value = store->read(name_space, {key.key}, {});
        all += key.key + (value && value->front() ? value->front()->value : "");
      }
    }
    return all;
  }

  [[nodiscard]] std::string log() const {
    const std::lock_guard lock(log_mutex_);
    return log_;
  }

  std::shared_ptr<ctxmgr::KeyValueStore> store;
  std::unique_ptr<Proxy> proxy;
  std::unique_ptr<http::Server> server;
  int port = 0;

 private:
  mutable std::mutex log_mutex_;
  std::string log_;
  std::thread listener_;
};

}  // namespace ctxpack::serve::test
