#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_build.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr {

/// One agent's turn on a shared thread.
struct AgentTurn {
  std::string agent{};

  /// Sent before everything else; recorded with the step, but not a row of the thread. An agent's instructions may
  /// also be rows: system messages that carry its name. Those of other agents it never sees.
  std::string system_prompt{};
  /// New input, sent last; `run()` appends it before the reply. Tool results that name no agent are this one's.
  std::vector<ConversationMessage> messages{};
  /// Facts for the agent in this turn (`ComposedPrompt::data`, a state, a clock): sent whole, as a user's message
  /// before `messages`. It is recorded with the step, but is not a row of the thread. So ten turns leave no ten copies.
  std::string data{};
  std::vector<std::string> visible_agents{};  ///< Whose rows it sees, beside its own and nobody's. Empty: everyone's.
  std::vector<ReasoningStepRecord> step_records{};  ///< The agent's work so far in this turn; `run()` keeps it.
  std::vector<Artifact> artifacts{};                ///< Attached to this turn.
  ContextGoal goal = ContextGoal::synthesis;
  Retention reply_retention = Retention::normal;  ///< `pinned` for results that later agents rely on.
  BuildRequest request{};                         ///< Model, budget, tools. The workflow keeps the thread state.

  /// The thread as it stood there: agents that are given the same number work side by side. Unset: as it stands now.
  std::optional<std::int64_t> at_sequence{};
};

/// A request for an agent, as it is recorded.
struct AgentContext {
  BuiltContext context{};
  std::int64_t step_number = 0;    ///< The step it was recorded as, for `replay()`.
  std::int64_t last_sequence = 0;  ///< The thread's last message at that time.
};

/// The outcome of a turn.
struct AgentReply {
  LlmResponse response{};
  SequenceRange rows{};  ///< The turn's input and, as the last one, the reply.
  std::int64_t step_number = 0;
  ResponseMetadata metadata{};          ///< The receipt, the usage of the call, and the cost of all.
  std::optional<Error> append_error{};  ///< Set: the reply came, but could not be stored; `rows` is then {0, 0}.
};

struct PruneRequest {
  BuildRequest request{};    ///< The thread has to fit its budget; `models.summarizer` writes, `query` is the focus.
  std::string agent{};       ///< The next agent: its rows are the last to be summarised.
  double at_fill = 1.0;      ///< Share of the budget up to which nothing is done. Above 0, up to 1.
  double target_fill = 0.6;  ///< Share of the budget that is left filled. Above 0, up to 1.
};

struct PruneReport {
  SequenceRange summaries{};       ///< The new rows; {0, 0}: there was nothing to do.
  std::size_t rows_covered = 0;    ///< Rows that later contexts read a summary of.
  std::int64_t tokens_before = 0;  ///< Tokens that a context read of the thread, estimated.
  std::int64_t tokens_after = 0;   ///< Tokens that a later context reads of it, estimated.
};

/// A new thread that begins as another one did.
struct ForkRequest {
  std::string workflow_id{};                    ///< Id of the new thread; `conflict` if there is one.
  std::optional<std::int64_t> at_step{};        ///< Set: the rows that there were when it was sent.
  std::optional<std::int64_t> at_sequence{};    ///< Where there is no step: the rows up to it. Unset: all rows.
  std::vector<ConversationMessage> messages{};  ///< Appended after those rows: the edited message.

  /// Repairs: in the new thread, a note stands where a row is damaged or missing. Else such a row is `bad_data`.
  bool skip_damaged = false;
};

/// Pruning before contexts are built, when the thread has grown: see `PruneRequest`.
struct AutomaticPruning {
  double at_fill = 0.85;
  double target_fill = 0.6;
  std::shared_ptr<LlmClient> summarizer{};  ///< Null: extracts.
};

struct WorkflowOptions {
  std::string workflow_id{};
  std::shared_ptr<ConversationStore> store{};
  ContextManager
      manager{};  ///< Builds the request of each turn, with its counters and client. Its observer hears of all calls.
  /// Set: `context_for()` and `run()` first prune a thread that has grown too long, and say so in the metadata's notes.
  /// Turns with `at_sequence` are left alone. Every context then reads the newest rows twice.
  std::optional<AutomaticPruning> automatic_pruning{};
};

/// One thread of messages that the agents of a workflow share, kept in a store. Rows are only ever appended: pruning adds
/// summaries that later contexts read in place of older rows, and everything that was ever sent can be rebuilt byte for
/// byte. Several processes may work on one thread at once.
///
///     auto workflow = Workflow::open({"report-7", store});
///     AgentTurn turn;
///     turn.agent = "writer";
///     turn.messages = {{Role::user, "Write to the investors."}};
///     turn.request.models = ModelConfig::from_request("gpt-5.6");
///     auto replies = workflow->run(client, {turn});
///
/// Copies are the same workflow.
/// Thread-safety: all methods may be called from several threads at once.
class CTXMGR_API Workflow {
 public:
  /// Opens a workflow, new or not; the first row creates it. `invalid_argument` without an id or a store.
  [[nodiscard]] static Result<Workflow> open(WorkflowOptions options);

  [[nodiscard]] const std::string& id() const;

  /// Errors as of `ConversationStore::append()`.
  [[nodiscard]] Result<SequenceRange> append(const std::vector<ConversationMessage>& messages,
                                             const AppendOptions& options = {}, const CallOptions& call = {});

  /// A page of the thread, as it is stored.
  [[nodiscard]] Result<std::vector<ConversationMessage>> messages(const MessageQuery& query = {},
                                                                  const CallOptions& call = {}) const;

  [[nodiscard]] Result<ConversationInfo> info(const CallOptions& call = {}) const;

  /// Builds an agent's request within its budget, and records it. Reads the newest rows, about twice what fits,
  /// and those that are always needed: system and pinned rows and summaries; not the whole thread. Errors as of
  /// `ContextManager::build()` and `ConversationStore::record_step()`.
  [[nodiscard]] Result<AgentContext> context_for(const AgentTurn& turn, const CallOptions& call = {});

  /// Makes the summaries that the next compaction of an agent's contexts will use: `ContextManager::prepare_compaction()` of
  /// the thread as the agent sees it. Call it in the background after the agent's step, with the same turn, but without
  /// messages already in the thread. Only rows that a context reads are summarised; as a rule, summaries are found again where contexts
  /// begin to read at a later row.
  [[nodiscard]] Result<UsageMetadata> prepare_compaction(const AgentTurn& turn, const CallOptions& call = {});

  /// Runs turns side by side from the same point of the thread. It builds their contexts, makes all calls at once, and
  /// appends input and reply of those that succeeded: together, and in the order of `turns`. A call
  /// that is refused with `context_length_exceeded` is made once more with four fifths of the tokens. One turn is the
  /// usual case. The i-th result belongs to the i-th turn.
  [[nodiscard]] std::vector<Result<AgentReply>> run(LlmClient& client, const std::vector<AgentTurn>& turns,
                                                    const CallOptions& call = {});

  /// Makes the thread fit the request's budget again, if it does not. It adds summary rows that name the rows they stand for,
  /// until `target_fill` is reached and no further. System and pinned rows stay as they are, and so do rows behind the
  /// last user message. Rows marked `Retention::summarizable` go first, then rows of other agents, then the conversation
  /// and the agent's own rows. The oldest go first, and calls go with their results. The newest rows go only where all of
  /// that is not enough. At most `planning.max_llm_calls` calls are made: without a
  /// client, past them, or where a summary is of no use, it is an extract. All summaries are added at once or none; of
  /// two prunes at once, the later one begins anew (`conflict`, should that happen again and again).
  [[nodiscard]] Result<PruneReport> prune(const PruneRequest& request, LlmClient* client = {},
                                          const CallOptions& call = {});

  /// The messages that were sent at a step, as `to_openai_json()` writes them byte for byte. `not_found` for a step that
  /// was not recorded.
  [[nodiscard]] Result<std::vector<ConversationMessage>> replay(std::int64_t step_number,
                                                                const CallOptions& call = {}) const;

  /// Why: the receipt of the context that was sent at a step, as it was kept with it. The records of the smallest artifacts
  /// that were left out are not in it where it would be longer than 64 KiB; a note says of how many. `not_found` for a step
  /// that was not recorded, or that was recorded without a receipt.
  [[nodiscard]] Result<ContextUtilizationMetadata> receipt(std::int64_t step_number,
                                                           const CallOptions& call = {}) const;

  /// A new thread from a point of this one; nothing of this one changes.
  [[nodiscard]] Result<Workflow> fork(const ForkRequest& request, const CallOptions& call = {}) const;

  /// An archived workflow can be read and replayed; nothing can be added to it, contexts included, until it is restored.
  [[nodiscard]] Result<void> archive(const CallOptions& call = {});
  [[nodiscard]] Result<void> restore(const CallOptions& call = {});

  /// Deletes the thread and everything recorded with it.
  [[nodiscard]] Result<void> erase(const CallOptions& call = {});

 private:
  struct Impl;
  explicit Workflow(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace ctxmgr
