#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/engine/context_build.hpp"
#include "ctxmgr/engine/planning_gate.hpp"
#include "engine/build/artifact_set.hpp"
#include "engine/build/build_services.hpp"
#include "engine/build/execution.hpp"
#include "engine/build/fixed_parts.hpp"
#include "engine/build/gather.hpp"
#include "engine/build/layout.hpp"
#include "engine/build/parts.hpp"
#include "engine/history/suffix.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/history/thread_state.hpp"
#include "engine/history/tool_result_views.hpp"
#include "engine/planning/planner_call.hpp"

namespace ctxmgr::engine {

/// Who answers the calls of a build.
enum class Caller {
  nobody,   ///< No client: the deterministic planner, extracts.
  blocks,   ///< `build()`: may wait for other builds' summaries.
  replies,  ///< A host with a loop of its own: never waits.
  dry_run,  ///< Like nobody, and neither the embedder is asked nor the observer told.
};

/// One build, from its request to its result: the nine steps in order, each a function of the ones before. What is
/// between two calls of the host is kept here. Thread-safety: one thread at a time.
class BuildState {
 public:
  BuildState(const Context& context, BuildRequest request, std::shared_ptr<const Environment> environment,
             CallOptions call, Caller caller);
  BuildState(const BuildState&) = delete;
  BuildState& operator=(const BuildState&) = delete;
  ~BuildState();

  /// Steps 1 to 3, and as much of the rest as needs no model.
  [[nodiscard]] Result<void> prepare();

  [[nodiscard]] std::vector<PendingCall> next_calls();
  void reply(std::size_t id, Result<LlmResponse> response);
  [[nodiscard]] bool done() const;
  void wait_for_others();

  /// Steps 5 to 9, with what there is.
  [[nodiscard]] Result<BuiltContext> finish();

  [[nodiscard]] const GateDecision& gate() const { return gate_; }
  /// What the planner's prompt counts, where one would be asked; 0 otherwise.
  [[nodiscard]] std::int64_t planner_prompt_tokens() const;

 private:
  // build_prepare.cpp: gather, budget, gate.
  Result<void> read_thread();
  Result<void> measure();
  std::int64_t tokens_beside_steps() const;
  void skip_steps_that_do_not_fit();
  void lay_out();
  void ask_gate();

  // build_plan.cpp: plan, repair, execute.
  void choose_plan();
  PlannerQuestion planner_question() const;
  PlannerCall planner_request() const;
  void use_plan(const ArtifactPlan& plan, PlanSource source);
  ArtifactPlan deterministic_plan() const;
  ArtifactDecision fallback_decision(std::size_t item, int priority) const;
  void carry_out();

  // build_finish.cpp: assemble, verify.
  void reply_planner_missing();
  void fill_block();
  void add_excerpts();
  std::int64_t excerpts_target() const;
  BlockEntry excerpts_entry() const;
  std::optional<BlockEntry> fewer_excerpts(std::int64_t tokens_to_save);
  void fill_index();
  std::optional<BlockEntry> smaller_view(const BlockEntry& entry, std::int64_t tokens_to_save);
  Result<Assembly> verified();
  ThreadMemory remember(const Assembly& assembly, ContextUtilizationMetadata& metadata) const;
  int report_usage(const ContextUtilizationMetadata& metadata) const;

  // build_archive.cpp.
  void keep_left_out();
  void check_promises();
  void ask_archive(const std::vector<std::size_t>& items);

  // build_receipt.cpp.
  ContextUtilizationMetadata receipt(const Assembly& assembly) const;
  void add_records(ContextUtilizationMetadata& metadata) const;
  void add_costs(ContextUtilizationMetadata& metadata) const;
  void add_breakdown(const Assembly& assembly, ContextUtilizationMetadata& metadata) const;
  void add_shortened_results(ContextUtilizationMetadata& metadata) const;
  const std::string* shown_text(std::size_t item) const;
  bool is_whole(std::size_t item) const;
  ArtifactUsageRecord item_record(std::size_t item) const;
  ArtifactUsageRecord inline_record(const Item& item) const;
  ArtifactUsageRecord older_record() const;

  void time_step(const char* step);
  void tell(EventKind kind, std::vector<EventField> fields) const;
  [[nodiscard]] AssemblySource source();
  [[nodiscard]] bool may_use_models() const;
  [[nodiscard]] bool asks_models() const { return caller_ == Caller::blocks || caller_ == Caller::replies; }
  [[nodiscard]] bool failed() const { return planner_error_ && request_.planning.on_failure == PlannerFailure::fail; }
  [[nodiscard]] std::size_t calls_left() const;
  [[nodiscard]] std::int64_t block_room() const;
  [[nodiscard]] const Artifact& artifact_of(std::size_t item) const;
  [[nodiscard]] std::int64_t full_tokens(std::size_t item) const;

  const Context& context_;
  BuildRequest request_;
  std::shared_ptr<const Environment> environment_;
  CallOptions call_;
  Caller caller_;

  ModelInfo model_;
  const TokenCounter* counter_ = nullptr;
  std::string tokenizer_;
  std::optional<ThreadMemory> memory_;
  std::unique_ptr<ThreadAnalysis> thread_;
  std::unique_ptr<ArtifactSet> artifacts_;
  Gathered gathered_;
  TokenBudget budget_;
  Parts parts_;
  std::vector<std::string> headers_;  ///< Of each item,
  std::vector<std::int64_t> header_tokens_;
  std::unique_ptr<ToolResultViews> views_;
  std::unique_ptr<SuffixPlanner> suffixes_;
  std::unique_ptr<LayoutQuestion> question_;
  Layout layout_;
  GateDecision gate_;

  std::optional<PlannerCall> planner_call_;  ///< Asked, not answered.
  bool planner_given_out_ = false;
  std::optional<Error> planner_error_;
  ArtifactPlan plan_;
  std::optional<ArtifactPlan> llm_plan_;  ///< As the model gave it, to be kept for the next build.
  PlanSource plan_source_ = PlanSource::none;
  std::string plan_reason_;
  std::vector<std::string> repairs_;
  std::unique_ptr<Artifact> older_;     ///< The messages before the cut, as one artifact; null where nothing is cut.
  std::vector<SelectedText> excerpts_;  ///< Of them, and of results that are masked where they stand.
  std::unique_ptr<Execution> execution_;

  // By item, the older messages last.
  std::vector<ArtifactDecision> decisions_;
  std::vector<ProcessedText> texts_;
  std::vector<std::string> references_;  ///< How to read what is not whole; empty where it is not kept.
  std::vector<bool> archive_asked_;      ///< In this build.
  std::vector<std::size_t> least_important_first_;

  std::int64_t input_tokens_ = 0;
  UsageMetadata planner_usage_;
  std::vector<StepTiming> timings_;
  std::vector<std::string> notes_;
  Pace pace_;
  std::chrono::steady_clock::time_point step_began_;
};

/// The messages before a cut, of which there is one at least, as one artifact without content, so that a plan can speak
/// of what does not fit of the history.
[[nodiscard]] Artifact older_messages(const std::vector<ConversationMessage>& history, std::size_t cut);

/// The first token count at which a thread's usage is worth a warning, in percent; the last one passed.
[[nodiscard]] int usage_threshold(std::int64_t tokens, std::int64_t max_input);

}  // namespace ctxmgr::engine
