#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/engine/built_context.hpp"
#include "engine/build/build_inputs.hpp"
#include "engine/build/layout.hpp"
#include "engine/build/plan.hpp"
#include "engine/build/planning_estimate.hpp"
#include "engine/build/prepare.hpp"

namespace ctxmgr::engine {

struct Verified;

/// One build, from its request to its result: its inputs, and what each stage made of those before. prepare, layout, plan,
/// execute, fill, verify, archive, receipt: each is a function in a file of its name. Thread-safety: one thread at a time.
class Build {
 public:
  explicit Build(BuildInputs inputs);
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  /// Up to the plan, and as much of the rest as needs no model. Fails as `engine::prepare` does.
  [[nodiscard]] Result<void> prepare();

  /// Calls that can be made now, all at once; none while others are waited for.
  [[nodiscard]] std::vector<PendingCall> next_calls();

  /// What came of one of them. An id that is not waited for is ignored.
  void reply(std::size_t id, Result<LlmResponse> response);

  /// Whether nothing is waited for.
  [[nodiscard]] bool done() const;

  /// Waits for the summaries that other builds make.
  void wait_for_others();

  /// For the calls to models: with an archive they end shortly before the caller's deadline.
  [[nodiscard]] const CallOptions& asking() const { return asking_; }

  /// Whether the host may drop the context by now. A preparation reads all of it at its start; any other build reads it to its end.
  [[nodiscard]] bool has_read_all() const { return inputs_.caller == Caller::prepares; }

  /// What the calls for summaries took so far; nothing before there is a plan.
  [[nodiscard]] UsageMetadata summaries_took() const { return execution_ ? execution_->usage() : UsageMetadata{}; }

  /// Why no call for a summary brought one, where there were any.
  [[nodiscard]] std::optional<Error> summaries_failed() const {
    return execution_ ? execution_->failure() : std::nullopt;
  }

  /// The build ends, finished or not, and the next one gets its analyses. Do not call it after an exception: they may be half
  /// changed then.
  void end();

  /// The rest, with the replies that there are; ends it. Once. `invalid_argument` where nothing but a compaction was prepared.
  [[nodiscard]] Result<BuiltContext> finish();

  [[nodiscard]] bool may_use_models() const { return inputs_.may_use_models(); }

  [[nodiscard]] const GateDecision& gate() const { return outcome_.gate; }

  /// What planning takes at most, of a dry run: in its plan, and in the one that a model would be asked for.
  [[nodiscard]] PlanningEstimate most_that_planning_takes();

 private:
  [[nodiscard]] PlanInput plan_input() const { return {inputs_, *prepared_, layout_}; }
  [[nodiscard]] std::size_t calls_left() const;
  [[nodiscard]] bool failed() const;
  [[nodiscard]] Spending spent() const;
  Result<BuiltContext> build_rest();
  void start_execution();
  [[nodiscard]] std::vector<ExecutionItem> segments_to_summarize();
  Result<Verified> assemble(const struct FillInput& input, class ArchivedItems& archived);
  void tell(const ContextUtilizationMetadata& metadata, int warned_percent) const;
  void tell_of_compaction(std::string_view phase, const CompactionReport& report) const;
  void end_stage(const char* stage);

  MendedContext mended_;
  BuildInputs inputs_;  ///< What was asked for, with a history that was mended.
  const CallOptions asking_;
  Pace pace_;
  BorrowedAnalyses analyses_{};
  std::optional<Prepared> prepared_;
  Layout layout_;
  PlanOutcome outcome_;
  bool planner_asked_ = false;
  std::vector<Artifact> segments_;        ///< What is summarised where nothing but a compaction is prepared.
  std::unique_ptr<Execution> execution_;  ///< There is one once there is a plan.
  std::vector<StepTiming> timings_;
  std::chrono::steady_clock::time_point stage_began_;
};

}  // namespace ctxmgr::engine
