#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "ctxmgr/adapters/http_relay.hpp"
#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "http/exchange.hpp"
#include "serve/access.hpp"
#include "serve/conversation.hpp"
#include "serve/ledger.hpp"
#include "serve/preparing.hpp"
#include "serve/shadow.hpp"
#include "serve/threads.hpp"
#include "serve/windows.hpp"

namespace ctxpack::serve {

struct ProxyOptions {
  ctxmgr::HttpRelay relay{};
  ctxmgr::ContextManager manager{};
  std::shared_ptr<ctxmgr::KeyValueStore> store{};
  std::optional<std::int64_t> budget{};  ///< Tokens, tools included; unset: from the model's window.
  std::optional<std::int64_t>
      tools_budget{};   ///< Tokens of tool definitions; unset: all, unless they take half of the budget.
  std::string token{};  ///< Empty: for this machine only.
  /// Adds the context tools to requests and answers them. An answer is then passed on once it is whole, since before its end
  /// nobody knows whether it calls one of them.
  bool answers_context_tools = false;
  bool tells_room = false;         ///< `BuildRequest::tells_room`, and tools for it beside the context tools.
  ctxmgr::ToolRules tool_rules{};  ///< Hold for every request.

  /// Set: models get the memory tool, and the proxy answers it. The user is what a front that has the token says in this
  /// header, and owns all that is kept of the request; without a token, or the header, whoever has the request's credentials.
  /// Nobody without either. Lower case.
  std::string memory_header{};
  std::shared_ptr<ctxmgr::KeyValueStore> memory_store{};  ///< Of those memories; null: `store`.
  /// Set: the manager's client makes the summaries that compactions will use, after an answer was passed on, and takes at most
  /// so many tokens an hour. No request waits for it. Unset: none are made.
  std::optional<std::int64_t> summary_tokens_per_hour{};
  std::string summarizer{};  ///< The model for them; empty: as the environment says.

  /// Set: requests go on untouched, and this follows them. Nothing of the other options is done to them.
  std::shared_ptr<Shadow> shadow{};

  bool only_known = false;  ///< Sends on documented paths only.
  std::function<void(const std::string&)>
      log_line{};  ///< Gets a line of JSON for each request, without content. Null: none.
};

/// The endpoints. Must outlive the server.
class Proxy {
 public:
  explicit Proxy(ProxyOptions options);

  [[nodiscard]] http::Handler handler();

  /// New requests are told that nobody is there; those under way go on.
  void drain() { is_draining_ = true; }

  /// Ends what is under way, so that the server can stop.
  void stop();

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

 private:
  [[nodiscard]] std::optional<http::Reply> refuse(const http::RequestHead& head) const;
  [[nodiscard]] http::Reply answer(const http::Request& request);

  [[nodiscard]] http::Reply fit_and_forward(Api api, const http::Request& request);
  [[nodiscard]] http::Reply fit(Api api, const http::Request& request, view::Step& step);
  [[nodiscard]] http::Reply send_untouched(Api api, const http::Request& request, view::Step& step);
  [[nodiscard]] http::Reply forward(const http::Request& request);
  [[nodiscard]] http::Reply store_attachment(const http::Request& request);
  [[nodiscard]] http::Reply receipt(const http::RequestHead& head) const;
  [[nodiscard]] http::Reply page(const http::RequestHead& head) const;
  [[nodiscard]] http::Reply readiness(const http::Request& request) const;

  [[nodiscard]] ctxmgr::CallOptions call(const http::Request& request) const;
  [[nodiscard]] ctxmgr::HttpHeaders headers_of(const http::RequestHead& head) const;
  [[nodiscard]] std::string user_of(const http::RequestHead& head) const;
  [[nodiscard]] bool has_several_users() const { return !options_.memory_header.empty() && access_.has_token(); }
  [[nodiscard]] std::string owner_of(const http::RequestHead& head) const;
  [[nodiscard]] std::string memory_user(const http::RequestHead& head, const std::string& owner) const;
  [[nodiscard]] http::Reply refusal(const http::RequestHead& head, const ctxmgr::Error& error) const;
  void learn(const std::string& model, view::Step& step);
  void finish(Api api, view::Step step);
  void log(const http::RequestHead& head, const view::Step& step) const;
  void log_refusal(const http::RequestHead& head, int status) const;

  const ProxyOptions options_;
  const Access access_;
  const Threads threads_;
  Windows windows_;
  Ledger ledger_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> is_draining_{false};
  const std::unique_ptr<Preparing> preparing_;  ///< Null: no summaries are made.
};

}  // namespace ctxpack::serve
