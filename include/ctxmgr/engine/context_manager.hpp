#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_build.hpp"
#include "ctxmgr/engine/context_manager_options.hpp"
#include "ctxmgr/ports/observer.hpp"

namespace ctxmgr {

/// The dry run of a build.
struct PlanPreview {
  ArtifactPlan plan{};                    ///< The deterministic planner's: carried out if no model is asked.
  ContextUtilizationMetadata metadata{};  ///< The receipt of a build with that plan.
  bool would_use_llm = false;             ///< Whether a model would be asked for a plan.
  std::string gate_reason{};              ///< Why, or why not; `plan_reason_in_words()`.
  std::size_t expected_llm_calls = 0;     ///< The most calls: one for the plan, one for each summary that it may want.
  double expected_cost_usd = 0;   ///< The most they cost by this library's count; 0 where the catalogue has no prices.
  std::int64_t tokens_saved = 0;  ///< Tokens less than sending everything takes.
};

/// Makes the messages to send to a language model, from everything that an agent knows, a question and a budget of
/// tokens.
///
///     ContextManager manager;
///     auto built = manager.build(context, request);
///     if (built) send(built->messages);
///
/// Make one manager for a whole process. The request has all that belongs to one conversation. Copies share ports and
/// caches, which live as long as the last copy.
///
/// Thread-safety: const methods may be called from several threads at once.
class CTXMGR_API ContextManager {
 public:
  ContextManager();
  explicit ContextManager(ContextManagerOptions options);

  /// The catalogue that the manager was made with; lives as long as the last copy of the manager.
  [[nodiscard]] const ModelCatalog& catalog() const;

  /// The observer that the manager was made with; lives as long as the catalogue. Null if there is none.
  [[nodiscard]] Observer* observer() const;

  /// Builds one request. Blocks. With a client it makes at most one call for a plan, then all calls for summaries at once. If
  /// planner, summariser, embedder, archive or observer fails, the build goes on without, and the receipt says so.
  /// `budget_exceeded` if the parts that must be sent do not fit. `invalid_argument` for input that no service takes, such as
  /// two artifacts of one id, and for a model with neither a known window nor a budget. `cancelled`. The planner's own error if
  /// the mode is `llm_or_fail`. When the deadline comes, the build falls back and does not fail.
  [[nodiscard]] Result<BuiltContext> build(const Context& context, const BuildRequest& request,
                                           const CallOptions& call = {}) const;

  /// The dry run of `build()`: its plan, figures, and the price of its model calls. Calls no model, tells no observer.
  [[nodiscard]] Result<PlanPreview> plan(const Context& context, const BuildRequest& request,
                                         const CallOptions& call = {}) const;

  /// Tokens of these messages, of all tools of `request` and of its `sent_beside`. A build counts the same: its receipt has them
  /// as `sent_tokens()`.
  [[nodiscard]] std::int64_t count(const std::vector<ConversationMessage>& messages,
                                   const BuildRequest& request = {}) const;

  /// The same build as `build()`, but the caller makes the model calls, whether or not the manager has a client. It blocks
  /// only for the embedder, the summary store and the archive, if they are set.
  /// `context` must stay alive and unchanged until the build is finished or destroyed.
  [[nodiscard]] Result<ContextBuild> start(const Context& context, BuildRequest request,
                                           const CallOptions& call = {}) const;
  Result<ContextBuild> start(Context&& context, BuildRequest request, const CallOptions& call = {}) const = delete;

  /// Has a model write the summaries that the thread's next compaction will use, so that no build waits for them. Blocks: call
  /// it in the background after a build, with that build's `thread_state` in the request. Does nothing while the room is less
  /// than 0.8 full, or if the mode allows no model. Makes no summary twice. The compaction puts the summaries
  /// into the notes, in at most half of the room that names would have. A call that failed leaves names there, and is
  /// made again after a minute at the earliest. Returns the tokens that the calls took. Errors as of `plan()`, `invalid_argument`
  /// without a client, or without a scope where there is a `summary_store`. Where none of the calls brought a summary, the error
  /// of the last.
  [[nodiscard]] Result<UsageMetadata> prepare_compaction(const Context& context, const BuildRequest& request,
                                                         const CallOptions& call = {}) const;

  /// The same, but the caller makes the calls: answer `next_calls()` until `done()`, or destroy it. `finish()` is
  /// `invalid_argument`, since nothing is built. The context is read here and not afterwards: it may change or go.
  [[nodiscard]] Result<ContextBuild> start_compaction(const Context& context, BuildRequest request,
                                                      const CallOptions& call = {}) const;
  Result<ContextBuild> start_compaction(Context&& context, BuildRequest request,
                                        const CallOptions& call = {}) const = delete;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ctxmgr
