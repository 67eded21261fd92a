#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ctxmgr/adapters/http_relay.hpp"
#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "serve/access.hpp"
#include "serve/connection.hpp"
#include "serve/conversation.hpp"
#include "serve/ledger.hpp"
#include "serve/threads.hpp"

namespace ctxpack::serve {

struct ProxyOptions {
  ctxmgr::HttpRelay relay{};
  ctxmgr::ContextManager manager{};
  std::shared_ptr<ctxmgr::KeyValueStore> store{};
  std::optional<std::int64_t> budget{};  ///< Tokens, tools included; unset: from the model's window.
  std::string token{};                   ///< Empty: for this machine only.
  /// Adds the context tools to requests and answers them. An answer is then passed on once it is whole, since before its end
  /// nobody knows whether it calls one of them.
  bool answers_context_tools = false;
};

/// The endpoints. Must outlive the server.
class Proxy {
 public:
  explicit Proxy(ProxyOptions options);

  void attach(Server& server);

  /// Ends what is under way, so that the server can stop.
  void stop() { stopping_ = true; }

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;

  void attach_pages(Server& server);
  [[nodiscard]] bool is_admitted(const Request& request, Response& response) const;
  void refuse(const Request& request, Response& response, const ctxmgr::Error& error) const;

  /// Gives the server's own errors (no such path, a body that is too large) the service's form.
  bool answer_error(const Request& request, Response& response) const;

  void fit_and_forward(Api api, const Request& request, Response& response);
  void forward(const Request& request, Response& response);
  void store_attachment(const Request& request, Response& response);
  void show_receipt(const std::string& id, const Request& request, Response& response);
  void show_page(const Request& request, Response& response);

  [[nodiscard]] ctxmgr::CallOptions call() const;
  [[nodiscard]] std::string next_id();

  const ProxyOptions options_;
  const Access access_;
  const Threads threads_;
  const ctxmgr::AttachmentSource attachments_;
  Ledger ledger_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> last_id_;
};

}  // namespace ctxpack::serve
