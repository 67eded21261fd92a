#include "engine/build/remember.hpp"

#include <algorithm>
#include <cmath>

#include "core/most_tokens.hpp"
#include "engine/build/planner_question.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double nano = 1e-9;
constexpr double most_build_nano_usd = 1e15;  // Of one build; keeps sums in range.

void remember_planning(const FillInput& input, const Spending& taken, PreviousBuild& build) {
  const auto& previous = input.prepared.previous;
  if (input.outcome.asked) {
    build.asked = asked_question({input.inputs, input.prepared, input.layout});
    build.asked_tokens = std::clamp<std::int64_t>(input.outcome.needed_tokens, 1, most_tokens);
  } else if (previous) {
    build.asked = previous->asked;
    build.asked_tokens = previous->asked_tokens;
  }
  const auto nano_usd = std::clamp(taken.usd / nano, 0.0, most_build_nano_usd);
  build.planning_tokens = std::min(taken.tokens + (previous ? previous->planning_tokens : 0), most_tokens);
  build.planning_nano_usd = std::llround(nano_usd) + (previous ? previous->planning_nano_usd : 0);
}

}  // namespace

PreviousBuild remember(const FillInput& input, const Verified& verified, const Spending& planning) {
  const auto& [inputs, prepared, layout, outcome, known] = input;
  const auto& suffix = verified.filled.parts.suffix;
  PreviousBuild build;
  build.messages = prepared.thread().size();
  build.history = prepared.thread().fingerprint();
  build.max_input = prepared.budget.max_input;
  build.cut = suffix.cut;
  build.compacted_at = layout.compacted_at;
  build.head = layout.head_room;
  for (const auto& shown : verified.filled.parts.evidence) build.evidence.push_back(shown.made);
  build.extracts = suffix.extracts;
  build.kept = layout.head.kept;
  build.host_text = layout.host_text;
  for (const auto& summary : layout.summaries) build.summaries.push_back(summary.range);
  build.question = layout.turn;
  build.block_tokens = layout.block_tokens;
  build.hinted_by = layout.hinted_by;
  build.plan = outcome.llm_plan;
  remember_planning(input, planning, build);
  build.sent = marks_of(verified.assembly.messages);
  build.warned_percent = usage_threshold(verified.tokens, prepared.budget.max_input);
  return build;
}

int usage_threshold(std::int64_t tokens, std::int64_t max_input) {
  int passed = 0;
  for (const int percent : {70, 85, 95}) {
    if (max_input > 0 && tokens * 100 >= max_input * percent) passed = percent;
  }
  return passed;
}

}  // namespace ctxmgr::engine
