#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_build.hpp"
#include "ctxmgr/engine/context_manager_options.hpp"
#include "ctxmgr/ports/observer.hpp"

namespace ctxmgr {

/// What a build would do, without doing it.
struct PlanPreview {
  ArtifactPlan plan{};                    ///< The deterministic planner's: what happens if no model is asked.
  ContextUtilizationMetadata metadata{};  ///< The receipt that such a build has.
  bool would_use_llm = false;             ///< Whether the gate would ask a model.
  std::string gate_reason{};              ///< Why the gate would, or would not.
  std::size_t expected_llm_calls = 0;     ///< At most: the plan, and all the summaries that it may ask for.
  double expected_cost_usd = 0;           ///< At most, by this library's count; 0 where the catalogue has no prices.
  std::int64_t tokens_saved = 0;          ///< Against including everything.
};

/// Decides what a language model sees: from everything that an agent knows, a question and a budget, the messages to
/// send.
///
///     ContextManager manager;
///     auto built = manager.build(context, request);
///     if (built) send(built->messages);
///
/// One manager serves all sessions of a process; what belongs to a session is in the request. Copies share ports and
/// caches, which live as long as the last copy.
///
/// Thread-safety: const methods may be called from several threads at once.
class CTXMGR_API ContextManager {
 public:
  ContextManager();
  explicit ContextManager(ContextManagerOptions options);

  /// The catalogue that the manager was made with; lives as long as the last copy of the manager.
  [[nodiscard]] const ModelCatalog& catalog() const;

  /// The observer that the manager was made with, for as long; null if there is none.
  [[nodiscard]] Observer* observer() const;

  /// Blocks. Makes one planning call at most and then the summaries, all at once; none without a client. A failing
  /// planner, summariser, embedder, archive or observer never fails the build: it falls back, and the receipt says so.
  /// `budget_exceeded` if the fixed parts do not fit. `invalid_argument` for input that no service would take, as two
  /// artifacts of one id, and for a model without a known window or a budget. `cancelled`. The planner's own error where
  /// `fail_with_planner` asks for it. A deadline is kept by falling back, not by failing.
  [[nodiscard]] Result<BuiltContext> build(const Context& context, const BuildRequest& request,
                                           const CallOptions& call = {}) const;

  /// The dry run: plan, figures and what the model calls would cost. Calls no model and tells no observer.
  [[nodiscard]] Result<PlanPreview> plan(const Context& context, const BuildRequest& request,
                                         const CallOptions& call = {}) const;

  /// The same build as `build()`, but the caller makes the model calls, whether or not the manager has a client. Blocks
  /// only for embedder, summary store and archive, where they are set.
  /// `context` must stay alive and unchanged until the build is finished or destroyed.
  [[nodiscard]] Result<ContextBuild> start(const Context& context, BuildRequest request,
                                           const CallOptions& call = {}) const;
  Result<ContextBuild> start(Context&& context, BuildRequest request, const CallOptions& call = {}) const = delete;

  /// Makes the summaries that the next compaction of a thread will use, so that no step waits for them. In the background,
  /// after a build whose `thread_state` is in the request. Does nothing before the room is 0.8 full, without a scope, and where
  /// the mode lets no model in; what was made before is not made again. The compaction puts those that are there into
  /// the notes, in at most half of the room that names would have. Blocks. Returns what the calls took: those that failed
  /// leave names in their place. Errors are those of a dry run, and `invalid_argument` without a client.
  [[nodiscard]] Result<UsageMetadata> prepare_compaction(const Context& context, const BuildRequest& request,
                                                         const CallOptions& call = {}) const;

  /// The same without calling a model: the caller answers `next_calls()` until `done()`, or drops it. `finish()` is
  /// `invalid_argument`: nothing is built.
  [[nodiscard]] Result<ContextBuild> start_compaction(const Context& context, BuildRequest request,
                                                      const CallOptions& call = {}) const;
  Result<ContextBuild> start_compaction(Context&& context, BuildRequest request,
                                        const CallOptions& call = {}) const = delete;

 private:
  friend struct TextDoors;

  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ctxmgr
