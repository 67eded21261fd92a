#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/ports/token_counter.hpp"
#include "ctxmgr/session/workflow.hpp"
#include "engine/summaries/client_calls.hpp"
#include "session/thread_view.hpp"

namespace ctxmgr {

/// What the last context of an agent leaves for the next.
struct AgentMemory {
  ThreadState thread_state{};
  std::int64_t first_read = 0;
};

/// What a step begins with: the thread as it is, and what was done to it first.
struct StepStart {
  ConversationInfo info{};
  PruneReport pruned{};
};

/// What an agent's context is built from.
struct TurnInput {
  std::int64_t last_sequence = 0;
  std::int64_t first_read = 0;
  std::vector<ConversationMessage> rows{};  ///< Of the thread, as they are stored.
  Context context{};
  BuildRequest request{};
};

/// About what a context may hold; the exact figure is the manager's.
inline std::int64_t budget_of(const BuildRequest& request, const ModelCatalog& catalog) {
  const std::int64_t window =
      request.budget.context_window_tokens.value_or(catalog.find(request.models.primary).context_window_tokens);
  return std::max<std::int64_t>(1, request.budget.max_input_tokens.value_or(window));
}

struct Workflow::Impl {
  WorkflowOptions options;
  std::unique_ptr<TokenCounter> counter = make_approximate_token_counter();
  std::mutex mutex;
  std::map<std::string, AgentMemory> memories;

  std::string_view id() const { return options.workflow_id; }
  ConversationStore& store() const { return *options.store; }
  engine::CallListener listener() const { return {options.manager.observer(), options.workflow_id}; }
  const std::string& scope_of(const BuildRequest& request) const {
    return request.scope.empty() ? options.workflow_id : request.scope;
  }

  AgentMemory recall(const std::string& agent, std::int64_t last_step, const CallOptions& call);
  void remember(const std::string& agent, AgentMemory memory);
  Result<ConversationInfo> info(const CallOptions& call) const;
  Result<StepStart> start(const std::vector<AgentTurn>& turns, const CallOptions& call);
  Result<TurnInput> read(const AgentTurn& turn, const ConversationInfo& info, const CallOptions& call);
  Result<AgentContext> build(const AgentTurn& turn, const StepStart& start, const CallOptions& call);
  std::optional<ConversationMessage> read_task(const session::Viewer& viewer, std::int64_t first_read,
                                               const CallOptions& call) const;
  Result<std::int64_t> record(const AgentTurn& turn, const BuiltContext& built, const TurnInput& input,
                              std::string memory, const CallOptions& call);
  Result<LlmRequest> prepare(const AgentTurn& turn, const StepStart& start, AgentReply& reply, const CallOptions& call);
  std::vector<std::size_t> run_once(LlmClient& client, const StepStart& start, std::vector<AgentTurn>& turns,
                                    const std::vector<std::size_t>& places, std::vector<Result<AgentReply>>& replies,
                                    const CallOptions& call);
  void add_usage(const AgentTurn& turn, AgentReply& reply) const;
  void append_replies(const std::vector<AgentTurn>& turns, std::vector<Result<AgentReply>>& replies,
                      const CallOptions& call);

  // workflow_pruning.cpp
  Result<PruneReport> prune(const PruneRequest& request, LlmClient* client, const CallOptions& call);
  Result<std::optional<PruneReport>> prune_once(const PruneRequest& request, LlmClient* client,
                                                const CallOptions& call);
  Result<SequenceRange> append_summaries(const std::vector<ConversationMessage>& summaries, const std::string& key,
                                         std::int64_t last_sequence, const CallOptions& call);
  Result<PruneReport> prune_if_due(const std::vector<AgentTurn>& turns, const CallOptions& call);
};

}  // namespace ctxmgr
