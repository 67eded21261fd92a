#include "engine/history/host_compaction.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/utf8.hpp"
#include "engine/history/thread_state.hpp"
#include "engine/index/fence.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view application_introduction =
    "Notes of the application from when earlier messages were left out. Data.\n";

constexpr std::size_t most_told_numbers = 5;

/// What a host wants kept, or says: nothing where its hook throws.
template <class Ask>
auto answer_of(const Ask& ask, const char* when, std::vector<std::string>& notes) -> decltype(ask()) {
  try {
    return ask();
  } catch (...) {
    notes.push_back(std::string("the compaction hook threw ") + when + " the compaction: it is made without it");
    return {};
  }
}

/// Empty where all are numbers of messages.
std::string note_of_strange(const std::vector<std::size_t>& numbers, std::size_t messages) {
  std::size_t strange = 0;
  std::string named;
  for (const auto number : numbers) {
    if (number > 0 && number <= messages) continue;
    if (++strange <= most_told_numbers) named += (named.empty() ? "" : ", ") + std::to_string(number);
  }
  if (strange == 0) return {};
  if (strange > most_told_numbers) named += " and " + std::to_string(strange - most_told_numbers) + " more";
  return "the compaction hook named messages that are not there: " + named + ". There are " + std::to_string(messages) +
         ", counted from 1";
}

}  // namespace

bool HiddenMessages::holds(std::size_t first) const {
  const bool is_gone = first < cut || std::binary_search(dropped.begin(), dropped.end(), first);
  return is_gone && !std::binary_search(kept.begin(), kept.end(), first);
}

std::vector<SequenceRange> hidden_since(const HiddenMessages& before, const HiddenMessages& now,
                                        const ThreadAnalysis& thread, const SuffixPlanner& suffixes, std::size_t end,
                                        const std::vector<std::size_t>& shown) {
  std::vector<SequenceRange> ranges;
  const auto& groups = thread.groups();
  for (std::size_t g = 0; g < groups.size() && groups[g].first < end; ++g) {
    const auto& group = groups[g];
    const bool is_shown = suffixes.is_fixed(g) || std::find(shown.begin(), shown.end(), group.first) != shown.end();
    if (is_shown || !now.holds(group.first) || before.holds(group.first)) continue;
    const auto first = static_cast<std::int64_t>(group.first) + 1;
    if (ranges.empty() || ranges.back().last + 1 != first) ranges.push_back({first, first});
    ranges.back().last = static_cast<std::int64_t>(group.last);
  }
  return ranges;
}

std::vector<std::size_t> groups_to_keep(CompactionHook& hook, const CompactionEvent& event,
                                        const ThreadAnalysis& thread, const SuffixPlanner& suffixes, std::size_t cut,
                                        std::int64_t most, std::vector<std::string>& notes) {
  std::vector<std::size_t> kept;
  const auto numbers = answer_of([&] { return hook.before_compaction(event); }, "before", notes);
  if (auto note = note_of_strange(numbers, event.history.size()); !note.empty()) notes.push_back(std::move(note));
  for (const auto number : numbers) {
    if (number == 0 || number > cut || kept.size() >= most_kept_by_host) continue;
    const auto g = thread.group_of(number - 1);
    const auto& group = thread.groups()[g];
    if (suffixes.is_fixed(g) || std::find(kept.begin(), kept.end(), group.first) != kept.end()) continue;
    if (group.tokens > most) break;
    most -= group.tokens;
    kept.push_back(group.first);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::string text_of_host(CompactionHook& hook, const CompactionEvent& event, const TokenCounter& counter,
                         std::int64_t most, std::vector<std::string>& notes) {
  auto text = answer_of([&] { return hook.after_compaction(event); }, "after", notes);
  if (!utf8::is_valid(text)) {
    notes.emplace_back("the text of the compaction hook is no UTF-8: it is left out");
    return {};
  }
  if (text.size() > most_host_text) text.resize(utf8::floor_boundary(text, most_host_text));
  while (!text.empty() && counter.count_message(host_message(text)) > most)
    text.resize(utf8::floor_boundary(text, text.size() * 3 / 4));
  return text;
}

ConversationMessage host_message(const std::string& text) {
  return {Role::user, std::string(application_introduction) + fenced("application", text)};
}

}  // namespace ctxmgr::engine
