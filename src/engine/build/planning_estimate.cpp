#include "engine/build/planning_estimate.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "engine/build/plan.hpp"
#include "engine/build/planner_question.hpp"
#include "engine/extracts/artifact_title.hpp"
#include "engine/summaries/leaves.hpp"
#include "engine/summaries/summarizer_call.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t focus_tokens =
    480;  // Of the longest focus that a planner can write: 120 characters of four bytes.
constexpr std::int64_t joint_tokens = 32;  // Where texts are counted apart that are sent together.

/// The prompts that one source needs at most.
struct Prompts {
  std::vector<std::int64_t> tokens{};
  bool more = false;  ///< And nobody knows how many besides.
};

class Estimate {
 public:
  Estimate(const PlanInput& input, PlanOutcome& outcome, bool asks_planner)
      : input_(input),
        outcome_(outcome),
        asks_planner_(asks_planner),
        counter_(*input.prepared.counter),
        catalog_(input.inputs.services->options.catalog),
        planner_(catalog_.find(input.inputs.request.models.context_planner)),
        summarizer_(catalog_.find(input.inputs.request.models.summarizer)),
        usable_(usable_tokens(summarizer_.context_window_tokens)),
        most_calls_(input.inputs.request.planning.max_llm_calls),
        asked_(plan_query(input)) {}

  PlanningEstimate make() {
    PlanningEstimate estimate;
    if (most_calls_ == 0) return estimate;
    if (asks_planner_)
      add(most_of(planner_request(input_, outcome_.older.get()).request, counter_, planner_), estimate);
    add_summaries(estimate);
    estimate.spending.tokens = planning_cap(input_).within(estimate.spending.tokens);
    return estimate;
  }

 private:
  static void add(const Spending& call, PlanningEstimate& estimate) {
    ++estimate.calls;
    estimate.spending.tokens += call.tokens;
    estimate.spending.usd += call.usd;
  }

  bool may_be_summarized(std::size_t i) const {
    const bool is_decided = i < outcome_.decisions.size();
    return asks_planner_ || (is_decided && outcome_.decisions[i].strategy == ProcessingStrategy::summarize);
  }

  const SummaryInstructions& instructions() const { return input_.inputs.request.planning.summary_instructions; }

  /// A source's request without it.
  std::int64_t frame_tokens(std::size_t i) const {
    const bool is_decided = !asks_planner_ && i < outcome_.decisions.size();
    const auto& focus = is_decided ? outcome_.decisions[i].summarization_focus : asked_;
    const auto request = make_summary_request({}, provenance_of(*outcome_.items[i].artifact), focus, block_room(input_),
                                              {}, instructions());
    return count_messages(counter_, request.messages) + (is_decided ? 0 : focus_tokens) + joint_tokens;
  }

  /// Of a conversation, which is summarised in segments.
  Prompts prompts_for_segments(std::size_t i) const {
    const auto request =
        make_summary_request({}, conversation_provenance, conversation_focus, block_room(input_), {}, instructions());
    const auto frame = count_messages(counter_, request.messages) + joint_tokens;
    Prompts prompts;
    for (const auto& segment : leaves_of(outcome_.items[i].artifact->content, segment_size(), counter_))
      prompts.tokens.push_back(counter_.count(segment) + frame);
    if (prompts.tokens.size() > 1) prompts.tokens.pop_back();  // The last still grows.
    return prompts;
  }

  std::int64_t segment_size() const {
    return std::min(segment_tokens(input_.prepared.budget.max_input), leaf_tokens(usable_));
  }

  Prompts prompts_for(std::size_t i) const {
    if (outcome_.items[i].kind == ItemKind::older_messages) return prompts_for_segments(i);
    const auto& content = outcome_.items[i].artifact->content;
    const auto frame = frame_tokens(i);
    const auto tokens = counter_.count(content);
    if (tokens <= usable_) return {{tokens + frame}};
    Prompts prompts;
    std::int64_t joined = 0;
    const auto summary = longest_summary_tokens(leaf_summary_tokens(usable_)) + 1;
    for (const auto& leaf : leaves_of(content, leaf_tokens(usable_), counter_)) {
      prompts.tokens.push_back(counter_.count(leaf) + frame);
      joined += summary;
    }
    prompts.tokens.push_back(std::min(joined, usable_) + frame);
    prompts.more = joined > usable_;
    return prompts;
  }

  void add_summaries(PlanningEstimate& estimate) {
    const bool checks = input_.inputs.request.planning.check_summaries;
    const auto left = (most_calls_ - estimate.calls) / (checks ? 2 : 1);
    std::vector<std::int64_t> prompts;
    std::int64_t sources = 0;
    bool leaves = false;
    for (std::size_t i = 0; i < outcome_.items.size() && left > 0; ++i) {
      if (!may_be_summarized(i)) continue;
      if (outcome_.items[i].kind == ItemKind::older_messages) put_older_text(input_, outcome_);
      const auto needed = prompts_for(i);
      // What takes more calls than there are is extracted, but for segments, of which there may be some.
      const bool in_segments = outcome_.items[i].kind == ItemKind::older_messages;
      if (needed.tokens.size() > left + 1 && !in_segments) continue;
      sources += outcome_.items[i].tokens;
      leaves |= needed.tokens.size() > 1;
      prompts.insert(prompts.end(), needed.tokens.begin(), needed.tokens.end());
      if (needed.more) prompts.resize(std::max(prompts.size(), left + 1), usable_ + needed.tokens.front());
    }
    std::sort(prompts.begin(), prompts.end(), std::greater<>());
    prompts.resize(std::min(prompts.size(), left));
    // The targets of a plan fit into the room together.
    const auto room = std::min(sources, block_room(input_));
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      UsageMetadata call;
      call.prompt_tokens = prompts[i];
      call.completion_tokens =
          summary_output_tokens(leaves ? leaf_summary_tokens(usable_) : 0) + (i == 0 ? summary_output_tokens(room) : 0);
      add(spending_of(call, summarizer_), estimate);
      if (!checks) continue;
      const auto summary = (leaves ? leaf_summary_tokens(usable_) : 0) + (i == 0 ? room : 0);
      call.prompt_tokens += longest_summary_tokens(summary) + joint_tokens;
      call.completion_tokens = summary_output_tokens(0);
      add(spending_of(call, summarizer_), estimate);
    }
  }

  const PlanInput& input_;
  PlanOutcome& outcome_;
  bool asks_planner_;
  const TokenCounter& counter_;
  const ModelCatalog& catalog_;
  ModelInfo planner_;
  ModelInfo summarizer_;
  std::int64_t usable_;
  std::size_t most_calls_;
  std::string asked_;  ///< What a summary is about by default.
};

}  // namespace

PlanningEstimate most_that_planning_takes(const PlanInput& input, PlanOutcome& outcome, bool asks_planner) {
  return Estimate(input, outcome, asks_planner).make();
}

}  // namespace ctxmgr::engine
