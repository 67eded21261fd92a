#include "engine/build/remember.hpp"

#include <algorithm>
#include <cmath>

#include "core/most_tokens.hpp"
#include "core/worded.hpp"
#include "engine/build/planner_question.hpp"
#include "engine/words/room_words.hpp"

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

constexpr int half_full = 50;
constexpr int nearly_full = 90;
constexpr std::string_view introduction = "[Note of the program, not of the user]";
constexpr std::string_view later = "Older messages are left out once none are.";
constexpr std::string_view soon =
    "Older messages will be left out soon. Write down now what you still need of them: what was asked, what is done, "
    "what is "
    "open, and names and figures as they are.";

/// What came since the build before.
std::int64_t newest_step(const Prepared& prepared) {
  if (!prepared.previous) return 0;
  std::int64_t tokens = 0;
  for (auto i = prepared.previous->messages; i < prepared.thread().size(); ++i)
    tokens += prepared.thread().tokens_of(i);
  return tokens;
}

ConversationMessage room_line(int percent, std::int64_t used, std::int64_t most) {
  return {Role::user,
          worded("{} {} {}", introduction, words_of_room(used, most), percent < nearly_full ? later : soon)};
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
  build.told_percent = verified.told_percent;
  build.warned_percent = usage_threshold(verified.tokens, prepared.budget.max_input);
  return build;
}

int usage_threshold(std::int64_t tokens, std::int64_t max_input) {
  int passed = 0;
  for (const int percent : {50, 75, 90}) {
    if (max_input > 0 && tokens * 100 >= max_input * percent) passed = percent;
  }
  return passed;
}

int room_threshold(std::int64_t tokens, std::int64_t step, std::int64_t max_input) {
  const auto passed = usage_threshold(tokens, max_input);
  const auto left = max_input - tokens;
  return passed >= half_full && left / 2 < step ? nearly_full : passed;
}

void tell_room(const FillInput& input, Verified& verified) {
  const auto& [inputs, prepared, layout, outcome, known] = input;
  auto& messages = verified.assembly.messages;
  if (!inputs.request.tells_room || !layout.grows || messages.empty()) return;
  const auto most = prepared.budget.max_input;
  const auto told = prepared.previous && !layout.compaction ? prepared.previous->told_percent : 0;
  const auto passed = room_threshold(verified.tokens, newest_step(prepared), most);
  verified.told_percent = told;
  if (passed <= told || messages.back().role != Role::tool) return;
  messages.push_back(room_line(passed, verified.tokens, most));
  const auto tokens = count_messages(*prepared.counter, messages);
  messages.back() = room_line(passed, tokens, most);
  const auto exact = count_messages(*prepared.counter, messages);
  if (exact > most) return messages.pop_back();
  verified.tokens = exact;
  verified.told_percent = passed;
  verified.assembly.room_line_at = messages.size() - 1;
}

}  // namespace ctxmgr::engine
