#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/built_context.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/engine/summary_cache.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/planning/failed_summaries.hpp"
#include "engine/planning/planning_cap.hpp"
#include "engine/summaries/summary_flight.hpp"

namespace ctxmgr::engine {

/// One artifact and what a repaired plan says of it.
struct ExecutionItem {
  const Artifact* artifact = nullptr;
  ArtifactDecision decision{};
  std::int64_t full_tokens = 0;
  std::optional<SelectedText> prepared{};  ///< The deterministic selection's view, used where the plan is the same.
  /// A conversation's summary is one of each segment of this size, whatever the question, so that what is paid for serves
  /// every later build; 0: one summary of the whole.
  std::int64_t segment_tokens = 0;
};

/// What became of it.
struct ProcessedText {
  ProcessingStrategy strategy = ProcessingStrategy::exclude;
  std::string text{};
  std::int64_t tokens = 0;
  bool cache_hit = false;
  std::string reason{};  ///< Why it is not what was planned; empty where it is.
};

enum class SharedFlights {
  join,  ///< Wait for a summary that another build is making.
  none,  ///< Never wait: make it again.
};

/// What an execution works with. All of it outlives the execution.
struct ExecutionTools {
  const Retriever& retriever;
  const TokenCounter& counter;
  const SummaryCache& cache;
  std::string summarizer{};                   ///< Model.
  std::int64_t summarizer_window_tokens = 0;  ///< The summarizer's window; longer sources are split.
  std::string scope{};
  std::size_t max_calls = 0;  ///< 0: no model; what would be summarised is extracted.
  SharedFlights flights = SharedFlights::none;
  CallOptions call{};
  PlanningCap cap{};  ///< What its calls may take.
  ModelInfo summarizer_prices{};
  bool checks = false;  ///< Each summary is compared with its source by a second call.
  SummaryInstructions instructions{};
  FailedSummaries* failed = nullptr;  ///< Where not null: what failed lately is not asked for again.
  FailedSummaries::Time now{};
};

/// What a summary's name depends on besides its text.
struct SummaryTerms {
  std::string scope{};
  std::string summarizer{};
  const SummaryInstructions& instructions;
  bool checks = false;  ///< A summary that nobody checked has another name than one that was.
};

/// Of a whole artifact. `target`: as it is asked for.
[[nodiscard]] SummaryKey make_summary_key(const Artifact& artifact, std::string focus, std::int64_t target,
                                          const SummaryTerms& terms);

/// Stage 4. Carries out a repaired plan without making any call itself: it says which summaries it needs and takes the
/// replies. Everything else is done at once: full texts, extracts, cached summaries.
class Execution {
 public:
  /// `first_call_id`: ids of its calls count from there.
  Execution(std::vector<ExecutionItem> items, ExecutionTools tools, std::size_t first_call_id);

  [[nodiscard]] std::vector<PendingCall> next_calls();
  void reply(std::size_t id, Result<LlmResponse> response);
  [[nodiscard]] bool done() const;

  /// Waits for what other builds are making; afterwards more calls may be needed.
  void wait_for_others();

  /// The texts, in the order of the items. What has no summary by now is extracted.
  [[nodiscard]] std::vector<ProcessedText> finish();

  [[nodiscard]] const UsageMetadata& usage() const { return usage_; }
  /// Why no call brought a summary, where there were calls.
  [[nodiscard]] std::optional<Error> failure() const;

  [[nodiscard]] const CacheStats& cache_stats() const { return cache_stats_; }

 private:
  enum class State { wanted, asked, unchecked, being_checked, elsewhere, done, failed };

  /// One call's worth of text.
  struct Task {
    std::string text{};
    std::int64_t target = 0;
    SummaryKey key{};
    State state = State::wanted;
    std::optional<SummaryFlight> flight{};
    std::optional<std::size_t> call_id{};
    std::string summary{};
    bool cache_hit = false;
    std::string failure{};
    std::int64_t set_aside = 0;  ///< Tokens that its calls may take at most, where there is a limit.
    UsageMetadata used{};        ///< What its calls took.
  };

  /// One summary: a task, or tasks on its parts whose summaries are then summarised.
  struct Job {
    std::size_t item = 0;
    std::vector<Task> tasks{};
    bool merged = false;       ///< Its tasks work on summaries.
    bool in_segments = false;  ///< Its tasks' summaries stand one after the other; some may be missing.
    bool failed = false;
    std::string failure{};
    bool finished = false;
  };

  void start(Job& job, const std::string& content);
  void start_segments(Job& job, const std::string& content);
  void look_up(Job& job);
  void call_for_missing(Job& job);
  void call_for_segments(Job& job);
  static void leave_out(Task& task, std::string why);
  [[nodiscard]] std::vector<std::string> refused_before(const std::vector<SummaryKey>& keys,
                                                        const std::vector<std::optional<std::string>>& found) const;
  [[nodiscard]] std::string source_of(const Job& job) const;
  [[nodiscard]] LlmRequest request_of(const Job& job, const Task& task) const;
  [[nodiscard]] bool set_aside(const Job& job, const std::vector<Task*>& tasks);
  void give_back(Task& task);
  [[nodiscard]] LlmRequest check_of(const Task& task) const;
  [[nodiscard]] std::int64_t most_of_check(const Task& task) const;
  [[nodiscard]] std::size_t calls_each() const { return tools_.checks ? 2 : 1; }
  [[nodiscard]] Result<std::string> read_reply(const Job& job, const Task& task, const LlmResponse& response) const;
  void settle(Task& task, Result<std::string> summary);
  void advance(Job& job);
  void fail_job(Job& job, std::string why);
  [[nodiscard]] SummaryKey key_of(const ExecutionItem& item, std::string source, std::string content_hash,
                                  std::string focus, std::int64_t target) const;
  ProcessedText carry_out(const ExecutionItem& item) const;
  ProcessedText extracted(const ExecutionItem& item, std::string reason) const;
  ProcessedText summarized(const Job& job) const;
  std::string extract_of(const Task& task, const ExecutionItem& item) const;
  ProcessedText summarized_segments(const Job& job) const;

  static constexpr std::string_view no_calls = "no model calls left";
  static constexpr std::string_view over_limit = "a summary may take more than the limit on planning leaves";

  std::vector<ExecutionItem> items_;
  ExecutionTools tools_;
  std::size_t next_id_;
  std::size_t calls_left_;
  std::vector<Job> jobs_;
  UsageMetadata usage_;
  std::size_t replies_ = 0;
  std::size_t failed_replies_ = 0;
  Error last_failure_{};
  CacheStats cache_stats_;
};

}  // namespace ctxmgr::engine
