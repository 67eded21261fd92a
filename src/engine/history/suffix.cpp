#include "engine/history/suffix.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ctxmgr::engine {
namespace {

/// Results that are this short are not worth extracting.
constexpr std::int64_t least_extract = 32;

}  // namespace

SuffixPlanner::SuffixPlanner(const ThreadAnalysis& thread, std::optional<std::size_t> question, ToolResultViews& views,
                             std::optional<std::size_t> last_word)
    : thread_(thread), views_(views) {
  if (question) question_group_ = thread.group_of(*question);
  if (last_word && last_word != question) last_word_group_ = thread.group_of(*last_word);
}

bool SuffixPlanner::is_output(std::size_t message) const {
  return thread_.groups()[thread_.group_of(message)].has_results ||
         thread_.roles().of(message) == ThreadRole::observation;
}

bool SuffixPlanner::can_be_shortened(std::size_t message) const {
  return is_output(message) || thread_.groups()[thread_.group_of(message)].has_media;
}

bool SuffixPlanner::is_fixed(std::size_t group) const {
  return thread_.groups()[group].fixed || group == question_group_ || group == last_word_group_;
}

std::int64_t SuffixPlanner::tokens_before(std::size_t cut) const {
  const auto& groups = thread_.groups();
  const auto group = cut < thread_.size() ? thread_.group_of(cut) : groups.size();
  auto tokens = thread_.free_tokens_before(group);
  for (const auto& sent : {question_group_, last_word_group_}) {
    if (sent && *sent < group && !groups[*sent].fixed) tokens -= groups[*sent].tokens;
  }
  return tokens;
}

Suffix SuffixPlanner::everything() const {
  Suffix suffix;
  suffix.tokens = tokens_before(thread_.size());
  return suffix;
}

std::int64_t SuffixPlanner::sent_tokens(std::size_t message, const Suffix& suffix) {
  const auto reasoning = message < suffix.reasoning_before ? thread_.reasoning_tokens(message) : 0;
  if (!can_be_shortened(message) || reasoning > 0) return thread_.tokens_of(message) - reasoning;
  const auto extract = suffix.extracts.find(message);
  if (extract != suffix.extracts.end()) return views_.extracted(message, extract->second).tokens;
  return is_without_images(message, suffix) ? views_.without_images(message).tokens : thread_.tokens_of(message);
}

bool SuffixPlanner::is_without_images(std::size_t message, const Suffix& suffix) const {
  const auto group = thread_.group_of(message);
  return message < suffix.images_from && thread_.groups()[group].has_media && !is_fixed(group);
}

std::int64_t SuffixPlanner::sent_tokens(const Group& group, const Suffix& suffix) {
  if (suffix.is_dropped(group)) return 0;
  std::int64_t tokens = 0;
  for (std::size_t i = group.first; i < group.last; ++i) tokens += sent_tokens(i, suffix);
  return tokens;
}

std::int64_t SuffixPlanner::tokens_without_images(const Group& group) {
  if (!group.has_media) return group.tokens;
  Suffix suffix;
  suffix.images_from = group.last;
  return sent_tokens(group, suffix);
}

Suffix SuffixPlanner::again(Suffix suffix) {
  const auto& groups = thread_.groups();
  if (suffix.cut > 0) suffix.cut = std::max(suffix.cut, thread_.first_to_send());
  suffix.tokens = 0;
  std::size_t g = suffix.cut < thread_.size() ? thread_.group_of(suffix.cut) : groups.size();
  const auto end = std::max(suffix.images_from, suffix.reasoning_before);
  const bool all = !suffix.extracts.empty() || !suffix.dropped.empty();
  for (; g < groups.size() && (all || groups[g].first < end); ++g) {
    if (!is_fixed(g)) suffix.tokens += sent_tokens(groups[g], suffix);
  }
  suffix.tokens += tokens_before(thread_.size()) - tokens_before(g < groups.size() ? groups[g].first : thread_.size());
  return suffix;
}

/// What is small stays whole; the rest is shared among the large ones.
std::map<std::size_t, std::int64_t> SuffixPlanner::extracts_within(
    std::size_t g, std::int64_t most, const std::function<std::int64_t(std::size_t)>& tokens_of) const {
  std::map<std::size_t, std::int64_t> extracts;
  const auto& group = thread_.groups()[g];
  std::int64_t all = 0;
  for (auto i = group.first; i < group.last; ++i) all += tokens_of(i);
  if (all <= most || !is_output(group.first)) return extracts;
  if (!group.has_results) return {{group.first, std::max(most, least_extract)}};
  std::vector<std::size_t> smallest_first(group.last - group.first - 1);
  std::iota(smallest_first.begin(), smallest_first.end(), group.first + 1);
  std::stable_sort(smallest_first.begin(), smallest_first.end(),
                   [&](std::size_t a, std::size_t b) { return tokens_of(a) < tokens_of(b); });
  auto left = most - tokens_of(group.first);
  auto count = static_cast<std::int64_t>(smallest_first.size());
  for (const auto i : smallest_first) {
    const auto each = std::max(left / count--, least_extract);
    if (tokens_of(i) > each) extracts[i] = each;
    left -= std::min(tokens_of(i), each);
  }
  return extracts;
}

/// The newest results are what the agent is about to act on: whole if at all possible, else an extract each.
bool SuffixPlanner::take_newest(std::size_t g, std::int64_t room, Suffix& suffix) {
  const auto& group = thread_.groups()[g];
  suffix.extracts = extracts_within(g, room, [this](std::size_t i) { return thread_.tokens_of(i); });
  const auto tokens = sent_tokens(group, suffix);
  if (tokens > room) {
    suffix.extracts.clear();
    return false;
  }
  suffix.cut = group.first;
  suffix.tokens = tokens;
  return true;
}

/// Without its images and files the newest group of a user may fit, where it does not with them.
bool SuffixPlanner::take_without_media(std::size_t g, std::int64_t room, Suffix& suffix) {
  const auto& group = thread_.groups()[g];
  if (!group.has_media) return false;
  const auto tokens = tokens_without_images(group);
  if (tokens > room) return false;
  suffix.cut = group.first;
  suffix.images_from = group.last;
  suffix.tokens = tokens;
  return true;
}

Suffix SuffixPlanner::newest_within(SuffixRoom room) {
  const auto& groups = thread_.groups();
  Suffix suffix;
  suffix.cut = thread_.size();
  bool first = true;
  bool whole = true;
  for (std::size_t g = groups.size(); g-- > 0;) {
    if (groups[g].first < thread_.first_to_send()) break;
    if (is_fixed(g)) continue;
    if (first) {
      const bool fits = groups[g].tokens <= std::max(room.total, room.newest);
      const bool taken = (room.extracts || fits) && (take_newest(g, std::max(room.total, room.newest), suffix) ||
                                                     take_newest(g, std::max(room.total, room.most), suffix));
      if (!taken && !take_without_media(g, room.total, suffix)) break;
      first = false;
      whole = suffix.images_from == 0;
      continue;
    }
    if (whole && suffix.tokens + groups[g].tokens > room.total) {
      whole = false;
      suffix.images_from = groups[g].last;
    }
    const auto tokens = whole ? groups[g].tokens : tokens_without_images(groups[g]);
    if (suffix.tokens + tokens > room.total) break;
    suffix.tokens += tokens;
    suffix.cut = groups[g].first;
  }
  if (tokens_before(suffix.cut) == 0) suffix.cut = 0;  // Nothing is left out.
  start_at_user_message(suffix);
  return suffix;
}

/// A suffix that opens with a user message reads better; worth one group, not more.
void SuffixPlanner::start_at_user_message(Suffix& suffix) {
  if (suffix.cut == 0 || suffix.cut >= thread_.size()) return;
  const auto& users = thread_.user_messages();
  const auto group = thread_.group_of(suffix.cut);
  const auto next_user = std::lower_bound(users.begin(), users.end(), suffix.cut);
  if (next_user == users.end() || *next_user == suffix.cut) return;
  const auto user_group = thread_.group_of(*next_user);
  if (user_group != group + 1 || user_group == question_group_) return;
  (void)drop_oldest_group(suffix);
}

bool SuffixPlanner::drop_oldest_group(Suffix& suffix) {
  const auto& groups = thread_.groups();
  for (std::size_t g = suffix.cut < thread_.size() ? thread_.group_of(suffix.cut) : groups.size(); g < groups.size();
       ++g) {
    if (is_fixed(g) || suffix.is_dropped(groups[g])) continue;
    suffix.tokens -= sent_tokens(groups[g], suffix);
    std::size_t next = g + 1;
    while (next < groups.size() && (is_fixed(next) || suffix.is_dropped(groups[next]))) ++next;
    suffix.cut = next < groups.size() ? groups[next].first : thread_.size();
    suffix.extracts.erase(suffix.extracts.begin(), suffix.extracts.lower_bound(suffix.cut));
    return true;
  }
  return false;
}

bool SuffixPlanner::keep_newest_images(Suffix& suffix) {
  const auto& groups = thread_.groups();
  std::size_t newest = groups.size();
  for (std::size_t g = groups.size(); g-- > 0 && groups[g].first >= suffix.cut;) {
    if (is_fixed(g) || suffix.is_dropped(groups[g]) || !groups[g].has_media) continue;
    newest = g;
    break;
  }
  if (newest == groups.size() || groups[newest].first <= suffix.images_from) return false;
  const auto before = suffix.tokens;
  auto extracts = suffix.extracts;
  extracts.erase(extracts.begin(), extracts.lower_bound(groups[newest].first));
  suffix.images_from = groups[newest].first;
  suffix.extracts = std::move(extracts);
  suffix = again(std::move(suffix));
  return suffix.tokens < before;
}

}  // namespace ctxmgr::engine
