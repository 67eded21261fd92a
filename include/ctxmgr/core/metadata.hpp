#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/budget.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/note_code.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/usage.hpp"

namespace ctxmgr {

/// How one artifact was used: references and figures, never content.
struct ArtifactUsageRecord {
  std::string artifact_id{};
  std::string source{};
  ArtifactType artifact_type = ArtifactType::document;
  /// As carried out, after every step down; `exclude` where one line stands in its place.
  ProcessingStrategy strategy = ProcessingStrategy::exclude;
  Trust trust = Trust::untrusted;
  std::int64_t original_size_chars = 0;
  std::int64_t processed_size_chars = 0;
  std::int64_t original_tokens = 0;
  std::int64_t processed_tokens = 0;
  bool cache_hit = false;
  std::string reason{};     ///< Why this strategy and, if it differs, why not the planned one.
  std::string reference{};  ///< How to read the whole of it; empty where it is sent whole or could not be stored.
};

/// Tokens of the library's own model calls, apart from the primary call.
struct ContextPlanningUsage {
  UsageMetadata planner{};
  UsageMetadata summarizer{};
  UsageMetadata embedder{};

  [[nodiscard]] UsageMetadata total() const { return planner + summarizer + embedder; }
};

/// The price of those calls, in USD; zero where there is no price.
struct ContextPlanningCost {
  double planner_cost_usd = 0;
  double summarizer_cost_usd = 0;
  double embedder_cost_usd = 0;

  [[nodiscard]] double total_cost_usd() const { return planner_cost_usd + summarizer_cost_usd + embedder_cost_usd; }
};

/// Lookups in the summary cache.
struct CacheStats {
  std::int64_t hits = 0;
  std::int64_t misses = 0;

  /// 0 to 1; 0 where nothing was looked up.
  [[nodiscard]] double hit_rate() const {
    return hits + misses == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

/// Where the plan came from. Stored by name: frozen.
enum class PlanSource {
  none,           ///< Nothing had to be planned: everything was included.
  deterministic,  ///< No model was asked, or it failed; `plan_reason` says which.
  llm,
  kept,   ///< The plan of the turn before, since nothing had changed.
  given,  ///< The caller's.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(PlanSource value);

/// Tokens of the messages by role and kind; the sum is `input_tokens_used`.
struct TokenBreakdown {
  std::int64_t system_tokens = 0;
  std::int64_t user_tokens = 0;
  std::int64_t assistant_tokens = 0;
  std::int64_t tool_tokens = 0;
  std::int64_t artifact_tokens = 0;  ///< Blocks of artifacts and older history, and the index.
  std::int64_t notes_tokens = 0;     ///< Notes of messages that were cut.
  /// The start of the reply, and the difference between the prompt as a whole and the sum of its messages, which may be negative.
  std::int64_t overhead_tokens = 0;
};

/// How long one step of a build took.
struct StepTiming {
  /// "prepare", "layout", "plan", "execute", "fill", "archive", "verify", "receipt".
  std::string step{};
  std::chrono::microseconds elapsed{};
};

/// Messages that a compaction takes out of a thread, before or after. Messages are counted from 1.
struct CompactionReport {
  std::string reason{};                   ///< Why: "the room is full", "the host asked for it", and so on.
  std::vector<SequenceRange> messages{};  ///< Not sent any more since this compaction, both ends included.
  std::int64_t tokens_before = 0;         ///< Tokens of the thread beside its fixed parts, as it stood.
  std::int64_t tokens_after = 0;          ///< Tokens of the same as it stands then, notes included.
  std::int64_t prefix_tokens_kept = 0;    ///< Tokens that the request and the one before begin with; 0 before it.
};

CTXMGR_HAS_DEPRECATED_MEMBER_BEGIN

/// The receipt of a build. Artifacts included, transformed and excluded add up to all of them.
struct ContextUtilizationMetadata {
  std::string model_name{};
  ContextUtilization strategy = ContextUtilization::full;
  ContextGoal goal = ContextGoal::synthesis;
  std::int64_t model_max_tokens = 0;  ///< The window.
  [[deprecated("use messages_limit; budget_tokens counts the tools, too")]] std::int64_t max_input_tokens = 0;
  std::int64_t input_tokens_used = 0;  ///< Tokens of the messages that are sent.
  /// Tool definitions that are sent, and other text beside the messages; a `tools_budget` is set aside whole.
  std::int64_t tools_tokens = 0;
  std::int64_t fixed_tokens = 0;      ///< Always sent: system messages, pins, the last question.
  bool tokens_exact = false;          ///< Texts and media. False: estimated.
  bool framing_exact = false;         ///< The framing of the texts: `TokenCounterInfo::framing_exact`.
  std::size_t messages_included = 0;  ///< Messages of the history that are sent, whole or shortened.
  std::size_t messages_excluded = 0;  ///< Messages of the history that are left out.
  TokenBreakdown breakdown{};

  std::vector<std::string> tools_left_out{};  ///< Names of tools whose definitions are not sent.

  std::vector<ArtifactUsageRecord> artifacts_processed{};
  std::size_t artifacts_total = 0;
  std::size_t artifacts_included = 0;     ///< Whole, in an artifact block or where their message is.
  std::size_t artifacts_transformed = 0;  ///< Artifacts sent as a summary or an extract.
  std::size_t artifacts_excluded = 0;     ///< Not sent; a line may stand for them.

  bool llm_planning_used = false;
  PlanSource plan_source = PlanSource::none;
  std::string plan_reason{};                ///< The gate's reason, or why the deterministic planner took over.
  std::vector<std::string> plan_repairs{};  ///< The changes of `repair_plan()`.
  ContextPlanningUsage planning_usage{};
  ContextPlanningCost planning_cost{};
  CacheStats cache_stats{};

  /// Tokens and price of all plans and summaries of this thread so far, with this build's.
  std::int64_t thread_planning_tokens = 0;
  double thread_planning_usd = 0;

  std::optional<CompactionReport> compaction{};  ///< Set: this build has compacted the thread.

  std::string prefix_fingerprint{};     ///< Hash of the part that is meant to stay the same next turn.
  std::int64_t prefix_tokens_kept = 0;  ///< Tokens that this turn and the one before begin with, byte for byte.
  std::vector<std::size_t> cache_breakpoints{};  ///< Positions of messages after which a provider's cache may break.
  std::int64_t include_all_tokens = 0;           ///< Tokens, had all been included.
  double include_all_cost_usd = 0;               ///< The price of those as input.

  std::vector<StepTiming> timings{};
  std::vector<std::string> notes{};  ///< Assumptions and degradations: "the last user message was shortened to fit".

  std::int64_t budget_tokens = 0;   ///< Most tokens of the request, messages and tools: the budget as it is counted.
  std::int64_t messages_limit = 0;  ///< Most tokens of the messages: `budget_tokens` without the tools.

  /// The code of each of `notes`, for programs: the words may change with each version. Empty in receipts of before 0.9.
  std::vector<NoteCode> note_codes{};

  /// Tokens of all that is sent: messages, tools and other text beside the messages. At most `budget_tokens`.
  [[nodiscard]] std::int64_t sent_tokens() const { return input_tokens_used + tools_tokens; }
};

CTXMGR_HAS_DEPRECATED_MEMBER_END

/// The whole response: the primary call and the planning before it.
struct ResponseMetadata {
  std::string model{};
  UsageMetadata usage{};  ///< The usage of the primary call.
  CostMetadata cost{};    ///< The cost of the primary call, in USD.
  UsageMetadata total_usage{};
  double total_cost_usd = 0;  ///< Cost in USD with planner, summarizer and embedder.
  ContextUtilizationMetadata context_utilization{};
};

/// Joins a receipt with the usage of the primary call.
[[nodiscard]] CTXMGR_API ResponseMetadata make_response_metadata(ContextUtilizationMetadata context,
                                                                 const UsageMetadata& primary_usage,
                                                                 const ModelInfo& primary);

/// The receipt as a table for people: the texts that went in or were left out, how, why, and the price.
[[nodiscard]] CTXMGR_API std::string explain(const ContextUtilizationMetadata& metadata);

}  // namespace ctxmgr
