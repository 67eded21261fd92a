#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "ctxmgr/core/error.hpp"
#include "http/server.hpp"
#include "serve/proxy.hpp"

namespace ctxpack {

/// What `serve` and `run` are told.
struct ProxySettings {
  std::string upstream;
  std::string token;  ///< That callers have to send; empty: for this machine only.
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
  bool tell_room = false;
  bool only_known = false;
  bool log_json = false;
  bool shadow = false;
  bool says_verdicts = false;  ///< Of the shadow, on standard error.
};

/// A proxy that listens, with the threads that it needs.
class ProxyServer {
 public:
  /// `invalid_argument` names the option that is wrong.
  [[nodiscard]] static ctxmgr::Result<std::unique_ptr<ProxyServer>> open(const ProxySettings& settings);
  ProxyServer(serve::ProxyOptions options, const http::Limits& limits);
  ProxyServer(const ProxyServer&) = delete;
  ProxyServer& operator=(const ProxyServer&) = delete;
  ~ProxyServer();

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] const serve::Ledger& ledger() const { return proxy_.ledger(); }
  [[nodiscard]] const serve::Shadow* shadow() const { return shadow_.get(); }  ///< Null where there is none.

  /// New requests are refused, and those under way go on, until they have ended, `patience` is over, or `is_enough` says so. It
  /// is asked twenty times a second.
  void drain(std::chrono::seconds patience, const std::function<bool()>& is_enough);

 private:
  [[nodiscard]] ctxmgr::Result<void> start(std::int64_t streams);

  const std::shared_ptr<serve::Shadow> shadow_;
  serve::Proxy proxy_;
  http::Server server_;
  std::string url_;
  std::thread listener_;
};

/// For a process that proxies: memory that goes back to the system; no core file and no debugger of another process, since keys
/// are in its memory; and no end where whoever reads its log goes away.
void prepare_proxy_process();

/// For one that does nothing else, since programs that it starts inherit them: as many descriptors as it may have, no core files.
void set_limits_of_a_server();

}  // namespace ctxpack
