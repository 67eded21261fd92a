#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/usage.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/planning_gate.hpp"
#include "ctxmgr/engine/summary_cache.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

struct ArtifactProcessorOptions {
  std::shared_ptr<LlmClient> client{};            ///< Null: deterministic plans, extracts instead of summaries.
  std::shared_ptr<TokenCounter> token_counter{};  ///< Null: estimates.
  SummaryCache cache{};
  ModelConfig models{};
  ModelCatalog catalog{};
  PlanningPolicy policy{};
  GateThresholds gate{};           ///< When a planning call is worth it.
  std::string scope{};             ///< Who shares summaries; see `BuildRequest::scope`.
  std::shared_ptr<Clock> clock{};  ///< Measures the planner's time limit. Null: the machine's.
};

/// A plan, and how it came about.
struct PlannedContext {
  ArtifactPlan plan{};  ///< Repaired: it names every artifact and fits.
  PlanSource source = PlanSource::deterministic;
  std::string reason{};                ///< Why no model planned, or why its plan was not used.
  std::vector<std::string> repairs{};  ///< Changes of the model's plan.
  UsageMetadata usage{};
  std::string query{};  ///< The query that it was made for.
};

/// One artifact as a plan has it sent.
struct ProcessedArtifact {
  std::string artifact_id{};
  ProcessingStrategy strategy = ProcessingStrategy::exclude;  ///< The strategy that was carried out.
  std::string text{};
  std::int64_t tokens = 0;
  bool cache_hit = false;
  std::string reason{};  ///< Why it differs from the plan; empty where it does not.
};

/// Plans and processes artifacts without a conversation around them: for a host that plans itself, or warms the cache.
/// `ContextManager` is made of the same steps.
///
/// Thread-safety: const methods may be called from several threads at once.
class CTXMGR_API ArtifactProcessor {
 public:
  explicit ArtifactProcessor(ArtifactProcessorOptions options = {});

  /// One call to the planner model (none without a client) for all artifacts. A planner that fails costs its plan, not
  /// the result, unless the mode is `llm_or_fail`. `invalid_argument` for two artifacts of one id.
  [[nodiscard]] Result<PlannedContext> plan_context(const std::vector<Artifact>& artifacts,
                                                    const std::string& user_query, ContextGoal goal,
                                                    std::int64_t available_tokens, const CallOptions& call = {}) const;

  /// Carries a plan out: whole texts, summaries (from the cache, or all at once from the summariser) and extracts, in
  /// order of priority, together within the budget. Whatever the plan says, it is repaired first. What is excluded is
  /// not in the result.
  [[nodiscard]] Result<std::vector<ProcessedArtifact>> execute_plan(const ArtifactPlan& plan,
                                                                    const std::vector<Artifact>& artifacts,
                                                                    const std::string& user_query,
                                                                    std::int64_t token_budget,
                                                                    const CallOptions& call = {}) const;

  /// The same for a plan of `plan_context()`, with its query.
  [[nodiscard]] Result<std::vector<ProcessedArtifact>> execute_plan(const PlannedContext& planned,
                                                                    const std::vector<Artifact>& artifacts,
                                                                    std::int64_t token_budget,
                                                                    const CallOptions& call = {}) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ctxmgr
