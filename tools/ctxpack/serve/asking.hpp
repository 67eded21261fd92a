#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/session/context_tools.hpp"
#include "ctxmgr/wire.hpp"
#include "serve/api.hpp"
#include "serve/conversation.hpp"
#include "serve/own_tools.hpp"
#include "serve/proxy.hpp"
#include "serve/threads.hpp"
#include "serve/windows.hpp"
#include "view/run.hpp"

namespace ctxpack::serve {

/// What an agent asked for, beside the body.
struct Incoming {
  Api api = Api::openai;
  std::string target{};
  std::string thread{};  ///< Under which it is kept.
  std::string owner{};
  bool is_named = false;  ///< By the client: what a model keeps, it finds again.
  ctxmgr::HttpHeaders headers{};
  Glance glance{};
  std::string memory_user{};  ///< Whose memory the model may use; empty: nobody's.
};

/// From a request to the answer that its agent gets: fits and sends it; where the service finds it too long, once more with
/// four fifths; where the proxy has tools of its own, as often as the model calls them, within bounds. Lives for one request.
class Asking {
 public:
  using Answer = std::unique_ptr<ctxmgr::HttpAnswer>;

  /// `step` gets the receipt of what was sent last, and what the answers used that the agent does not see.
  Asking(const ProxyOptions& options, const Threads& threads, Windows& windows, Incoming incoming,
         ctxmgr::CallOptions call, view::Step& step);

  [[nodiscard]] ctxmgr::Result<Answer> run(const std::string& request);

  /// What was sent last, where summaries are wanted and it leaves little room. Once.
  [[nodiscard]] std::optional<NearlyFull> take_nearly_full();

 private:
  [[nodiscard]] ctxmgr::Result<Answer> ask(const std::string& body,
                                           const std::shared_ptr<ctxmgr::ContextStore>& archive);
  [[nodiscard]] ctxmgr::Result<ctxmgr::BuiltWire> build(const std::string& body, const ctxmgr::BuildRequest& options);
  [[nodiscard]] ctxmgr::Result<Answer> send(const std::string& body, ctxmgr::BuildRequest options);
  [[nodiscard]] ctxmgr::Result<Answer> ask_with_tools(const std::string& body, const std::string& with_tools,
                                                      const OwnTools& tools,
                                                      const std::shared_ptr<ctxmgr::ContextStore>& session);
  void keep_if_nearly_full(const std::string& body, const ctxmgr::BuildRequest& options);
  [[nodiscard]] std::shared_ptr<ctxmgr::ContextStore> own_session() const;
  [[nodiscard]] ctxmgr::BuildRequest build_request() const;
  [[nodiscard]] ctxmgr::BudgetOptions budget() const;
  [[nodiscard]] std::optional<std::int64_t> window_after(const std::string& refusal);
  [[nodiscard]] std::optional<std::int64_t> tools_budget(const std::string& body);

  const ProxyOptions& options_;
  const Threads& threads_;
  Windows& windows_;
  const Incoming incoming_;
  const ctxmgr::CallOptions call_;
  view::Step& step_;
  std::optional<std::int64_t> tools_budget_{};
  std::vector<ctxmgr::ToolDefinition> searched_{};  ///< What `search_tools` finds, where there is such a budget.
  ctxmgr::ThreadState thread_state_{};              ///< Of what was sent last.
  std::optional<NearlyFull> nearly_full_{};
};

}  // namespace ctxpack::serve
