#include "adapters/bpe/piece_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <utility>

namespace ctxmgr::bpe {

std::span<const Rank> PieceEncoder::encode(std::string_view piece) {
  few_[0] = vocabulary_.find(piece);
  if (few_[0] != no_rank) return {few_, 1};
  if (is_long_run(piece)) {
    encode_run(piece);
    return tokens_;
  }
  const std::span<Rank> units = split_into_units(piece);
  if (units.size() > max_few) {
    merge_in_windows(units.subspan(1, units.size() - 2));
    return tokens_;
  }
  std::size_t tokens = 0;
  for (std::uint64_t left = merge_few(units); left != 0; left &= left - 1) {
    units[tokens++] = units[static_cast<std::size_t>(std::countr_zero(left))];
  }
  return units.first(tokens);
}

std::size_t PieceEncoder::count_merged(std::string_view piece) {
  if (is_long_run(piece)) {
    encode_run(piece);
    return tokens_.size();
  }
  const std::span<Rank> units = split_into_units(piece);
  if (units.size() <= max_few) return static_cast<std::size_t>(std::popcount(merge_few(units)));
  merge_in_windows(units.subspan(1, units.size() - 2));
  return tokens_.size();
}

bool PieceEncoder::is_long_run(std::string_view piece) const {
  constexpr std::size_t least = 16;  // Shorter ones are merged as fast.
  return piece.size() >= least && RunTokens::is_run(piece);
}

void PieceEncoder::encode_run(std::string_view piece) {
  const RunTokens& runs = vocabulary_.runs();
  path_.clear();
  is_dead_.assign(piece.size() + 1, false);
  std::size_t pos = 0;
  for (auto next = runs.longest(piece); pos < piece.size();) {
    while (next != RunTokens::none) {
      if (!path_.empty()) next = vocabulary_.run_behind(path_.back(), next);
      if (next == RunTokens::none || !is_dead_[pos + runs.bytes(next)]) break;
      next = runs.shorter(next);
    }
    if (next != RunTokens::none) {
      path_.push_back(next);
      pos += runs.bytes(next);
      next = runs.longest(piece.substr(pos));
    } else {
      is_dead_[pos] = true;
      next = path_.back();
      path_.pop_back();
      pos -= runs.bytes(next);
    }
  }
  tokens_.clear();
  for (const auto node : path_) tokens_.push_back(runs.token(node));
}

// A token is later than those it is made of, and the earliest merge comes first. So a character becomes whole as it
// would alone unless an earlier merge takes a part of it together with what is beyond its border.
std::span<Rank> PieceEncoder::split_into_units(std::string_view piece) {
  Rank* units = few_;
  if (piece.size() + 2 > max_few) {
    many_.resize(piece.size() + 2);
    units = many_.data();
  }
  std::size_t count = 0;
  units[count++] = no_unit;
  for (std::size_t pos = 0; pos < piece.size();) {
    const std::size_t bytes = bytes_of_character(piece[pos]);
    const std::size_t end = pos + bytes;
    if ((bytes == 2 || bytes == 3) && end <= piece.size()) {
      // Without branches, since they could not be foreseen.
      const bool starts = pos == 0;
      const bool ends = end == piece.size();
      const bool breaks_before = vocabulary_.breaks_next(piece[pos - !starts], piece[pos]);
      const bool breaks_behind = vocabulary_.breaks_previous(piece[end - 1], piece[end - ends]);
      const bool breaks = (!starts & breaks_before) | (!ends & breaks_behind);
      const bool is_character = (((piece[pos + 1] ^ 0x80) | (piece[end - 1] ^ 0x80)) & 0xC0) == 0;
      const Rank whole = vocabulary_.rank_of_character(piece.data() + pos, bytes);
      if ((whole != no_rank) & is_character & !breaks) {
        units[count++] = whole;
        pos = end;
        continue;
      }
    }
    units[count++] = vocabulary_.rank_of_byte(piece[pos++]);
  }
  units[count++] = no_unit;
  return {units, count};
}

// Returns a bit for each place where a token is left; `units` has `no_unit` at both ends. What two neighbours merge to
// stands with the place of the first, so that the lowest number is the merge that comes next.
std::uint64_t PieceEncoder::merge_few(std::span<Rank> units) const {
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  const std::size_t count = units.size();
  const auto number = [&](Rank merged, std::size_t at) {
    return merged == no_rank ? none : static_cast<std::int32_t>(merged * max_few + at);
  };
  const std::size_t scanned = (count + 7) / 8 * 8;
  std::int32_t merges[max_few];
  std::fill(std::begin(merges), std::end(merges), none);
  std::uint64_t possible = 0;
  for (std::size_t i = 1; i + 2 < count; ++i) {
    if ((units[i] | units[i + 1]) < 256) {
      merges[i] = number(vocabulary_.merged_bytes(units[i], units[i + 1]), i);
    } else {
      possible |= static_cast<std::uint64_t>(vocabulary_.may_merge(units[i], units[i + 1])) << i;
    }
  }
  for (; possible != 0; possible &= possible - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(possible));
    merges[at] = number(vocabulary_.find_merged(units[at], units[at + 1]), at);
  }
  std::uint64_t left = ~std::uint64_t{0} >> (max_few - count);
  while (true) {
    std::int32_t lowest = none;
    for (std::size_t i = 0; i < scanned; ++i) lowest = std::min(lowest, merges[i]);
    if (lowest == none) return left & (left - 1) & ~(std::uint64_t{1} << (count - 1));
    const std::size_t at = static_cast<std::size_t>(lowest) % max_few;
    const std::uint64_t behind = left & ~std::uint64_t{1} << at;
    const auto gone = static_cast<std::size_t>(std::countr_zero(behind));
    const auto next = static_cast<std::size_t>(std::countr_zero(behind & (behind - 1)));
    const auto last = static_cast<std::size_t>(std::bit_width(left & ((std::uint64_t{1} << at) - 1))) - 1;
    left ^= std::uint64_t{1} << gone;
    units[at] = static_cast<Rank>(lowest) / max_few;
    merges[gone] = none;
    merges[at] = number(vocabulary_.merged(units[at], units[next]), at);
    merges[last] = number(vocabulary_.merged(units[last], units[at]), last);
  }
}

PieceEncoder::Window PieceEncoder::merge_many(std::span<const Rank> units) const {
  struct Place {
    Rank token;
    Rank merged;  // what it and the next one merge to
    std::size_t before;
    std::size_t behind;
  };
  std::vector<Place> places(units.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = {units[i], no_rank, i - 1, i + 1};
  using Entry = std::pair<Rank, std::size_t>;  // what is merged, and the place
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto enqueue = [&](std::size_t at) {
    const std::size_t behind = places[at].behind;
    places[at].merged = behind == places.size() ? no_rank : vocabulary_.merged(places[at].token, places[behind].token);
    if (places[at].merged != no_rank) queue.emplace(places[at].merged, at);
  };
  for (std::size_t i = 0; i < places.size(); ++i) enqueue(i);
  while (!queue.empty()) {
    const auto [merged, at] = queue.top();
    queue.pop();
    if (places[at].merged != merged) continue;  // one of the two has been merged with another
    const std::size_t gone = places[at].behind;
    places[gone].merged = no_rank;
    places[at].token = merged;
    places[at].behind = places[gone].behind;
    if (places[at].behind < places.size()) places[places[at].behind].before = at;
    enqueue(at);
    if (at > 0) enqueue(places[at].before);
  }
  Window window;
  for (std::size_t i = 0; i < places.size(); i = places[i].behind) {
    window.tokens.push_back(places[i].token);
    window.places.push_back(i);
  }
  return window;
}

PieceEncoder::Window PieceEncoder::merge_window(std::span<const Rank> units) const {
  if (units.size() > max_window) return merge_many(units);
  Rank few[max_few];
  few[0] = no_unit;
  *std::copy(units.begin(), units.end(), few + 1) = no_unit;
  Window window;
  for (std::uint64_t left = merge_few({few, units.size() + 2}); left != 0; left &= left - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(left));
    window.places.push_back(place - 1);
    window.tokens.push_back(few[place]);
  }
  return window;
}

void PieceEncoder::merge_in_windows(std::span<const Rank> units) {
  tokens_.clear();
  std::size_t most = max_window;
  const auto part = [&](std::size_t from) { return units.subspan(from, std::min(most, units.size() - from)); };
  std::size_t start = 0;
  Window window = merge_window(part(start));
  while (start + most < units.size()) {
    const auto cut = std::lower_bound(window.places.begin(), window.places.end(), most / 2);
    if (cut != window.places.end()) {
      const auto kept = cut - window.places.begin();
      const std::size_t next = start + *cut;
      // Runs repeat themselves.
      const bool is_same = std::ranges::equal(part(start), part(next));
      Window following = is_same ? window : merge_window(part(next));
      if (vocabulary_.stay_apart(window.tokens[static_cast<std::size_t>(kept) - 1], following.tokens[0])) {
        tokens_.insert(tokens_.end(), window.tokens.begin(), window.tokens.begin() + kept);
        start = next;
        window = std::move(following);
        continue;
      }
    }
    most *= 2;
    window = merge_window(part(start));
    // A longer window may begin with another token than the one that was seen to stay apart from what is before it.
    if (!tokens_.empty() && !vocabulary_.stay_apart(tokens_.back(), window.tokens[0])) {
      tokens_.clear();
      start = 0;
      window = merge_window(part(start));
    }
  }
  tokens_.insert(tokens_.end(), window.tokens.begin(), window.tokens.end());
}

}  // namespace ctxmgr::bpe
