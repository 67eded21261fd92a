#include "adapters/bpe/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace ctxmgr::bpe {
namespace {

constexpr std::size_t max_tokens = std::size_t{1} << 20U;  // 20 bits a rank in the tables
constexpr std::size_t max_bytes = 4'096;
constexpr std::size_t room = 8;  // behind the text of all tokens

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

bool all_continue(std::string_view text) { return std::all_of(text.begin(), text.end(), continues); }

// In blocks, up to `room` - 1 bytes more than asked for: a call for each few bytes would cost more.
void copy(char* to, const char* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += room) {
    char block[room];  // the two may overlap
    std::memcpy(block, from + i, room);
    std::memcpy(to + i, block, room);
  }
}

}  // namespace

Result<Vocabulary> Vocabulary::make(std::string_view bytes, Merges merges, const std::vector<std::string>& whole) {
  if (bytes.size() != 256) return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
  const std::size_t merged = merges.size() + 256;
  const std::size_t tokens = merged + whole.size();
  if (tokens >= max_tokens) return fail(ErrorCode::bad_data, "vocabulary: too many tokens");
  Vocabulary made(tokens);
  std::fill_n(made.rank_of_byte_, 256, no_rank);
  for (Rank rank = 0; rank < 256; ++rank) made.rank_of_byte_[static_cast<unsigned char>(bytes[rank])] = rank;
  if (std::count(made.rank_of_byte_, made.rank_of_byte_ + 256, no_rank) != 0) {
    return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
  }
  made.merges_ = std::move(merges);
  if (!made.measure_tokens()) return fail(ErrorCode::bad_data, "vocabulary: a token cannot be reached by merges");
  for (const std::string& text : whole) {
    made.offsets_.push_back(made.offsets_.back() + static_cast<std::uint32_t>(text.size()));
    made.max_token_bytes_ = std::max(made.max_token_bytes_, text.size());
  }
  made.text_.resize(made.offsets_.back() + room);
  std::copy(bytes.begin(), bytes.end(), made.text_.begin());
  made.buckets_ = Table<Bucket>(std::bit_ceil(tokens + tokens / 4) / slots, made.memory_);
  made.pairs_ = PairTable(merged, made.memory_);
  made.byte_pairs_ = Table<Rank>(0x10000, no_rank, made.memory_);
  made.characters_ = Table<Rank>(0x10800, no_rank, made.memory_);
  made.neighbours_ = BloomFilter(merged / 8, made.memory_);
  made.has_whole_ = !whole.empty();
  // Between knowing what is needed and needing it lie so many tokens, so that the processor fetches it meanwhile.
  constexpr std::size_t ahead = 16;
  Merge merges_ahead[2 * ahead];
  std::uint64_t hashes[ahead] = {};
  for (std::size_t rank = 0; rank < tokens + ahead; ++rank) {
    if (rank >= ahead) {
      const std::size_t ready = rank - ahead;
      made.add(static_cast<Rank>(ready), hashes[ready % ahead]);
      if (ready >= 256 && ready < merged) made.add_merge(static_cast<Rank>(ready), merges_ahead[ready % (2 * ahead)]);
    }
    if (rank + ahead >= 256 && rank + ahead < merged) {
      const Merge next = made.merge_of(static_cast<Rank>(rank + ahead));
      merges_ahead[(rank + ahead) % (2 * ahead)] = next;
      bpe::prefetch(&made.text_[made.offsets_[next.left]]);
      bpe::prefetch(&made.text_[made.offsets_[next.right]]);
      made.pairs_.prefetch(next.left, next.right);
    }
    if (rank >= tokens) continue;
    if (rank >= merged) {
      whole[rank - merged].copy(made.text_.data() + made.offsets_[rank], whole[rank - merged].size());
    } else if (rank >= 256) {
      made.spell(static_cast<Rank>(rank), merges_ahead[rank % (2 * ahead)]);
    }
    hashes[rank % ahead] = hash_text(made.text_of(static_cast<Rank>(rank)));
    made.prefetch(hashes[rank % ahead]);
  }
  made.add_runs();
  return made;
}

/// Only those that merging makes of their own text: others stand in no encoding.
void Vocabulary::add_runs() {
  std::vector<bool> is_made(merges_.size() + 256);
  for (Rank rank = 0; rank < is_made.size(); ++rank) {
    if (!RunTokens::is_run(text_of(rank))) continue;
    const auto [left, right] = rank < 256 ? Merge{} : merge_of(rank);
    is_made[rank] = rank < 256 || (is_made[left] && is_made[right] && stay_apart(left, right, rank));
    if (is_made[rank]) runs_.add(text_of(rank), rank);
  }
  runs_.finish();
}

RunTokens::Node Vocabulary::find_run_behind(RunTokens::Node left, RunTokens::Node right) const {
  while (right != RunTokens::none && !stay_apart(runs_.token(left), runs_.token(right))) right = runs_.shorter(right);
  return right;
}

bool Vocabulary::stay_apart(Rank left, Rank right, Rank limit) const {
  // Undo the merges of both, the youngest first; of equal ones the right, since merging goes from left to right. A merge
  // across the border that is older than what has been undone would have come first.
  while (true) {
    if (merged(left, right) < limit) return false;
    if (left < 256 && right < 256) return true;
    if (left > right) {
      limit = left;
      left = merge_of(left).right;
    } else {
      limit = right + 1;
      right = merge_of(right).left;
    }
  }
}

bool Vocabulary::measure_tokens() {
  const std::size_t tokens = merges_.size() + 256;
  offsets_.resize(tokens + 1);
  for (Rank rank = 0; rank < tokens; ++rank) {
    std::size_t bytes = 1;
    if (rank >= 256) {
      const Merge merge = merge_of(rank);
      if (merge.left >= rank || merge.right >= rank) return false;
      bytes = std::size_t{offsets_[merge.left + 1]} - offsets_[merge.left] + offsets_[merge.right + 1] -
              offsets_[merge.right];
      if (bytes > max_bytes) return false;
    }
    max_token_bytes_ = std::max(max_token_bytes_, bytes);
    offsets_[rank + 1] = offsets_[rank] + static_cast<std::uint32_t>(bytes);
  }
  return true;
}

void Vocabulary::spell(Rank rank, Merge merge) {
  const std::string_view left = text_of(merge.left);
  const std::string_view right = text_of(merge.right);
  char* const text = text_.data() + offsets_[rank];
  copy(text, left.data(), left.size());
  copy(text + left.size(), right.data(), right.size());
}

void Vocabulary::add(Rank rank, std::uint64_t hashed) {
  std::size_t bucket = bucket_of(hashed);
  std::size_t used = buckets_[bucket].used();
  while (used == slots) {
    bucket = (bucket + 1) & (buckets_.size() - 1);
    used = buckets_[bucket].used();
  }
  buckets_[bucket].slots[used] = tag_of(hashed) | rank;
}

void Vocabulary::add_merge(Rank rank, Merge merge) {
  pairs_.add(merge.left, merge.right, rank);
  if (merge.left < 256 && merge.right < 256) byte_pairs_[merge.left << 8U | merge.right] = rank;
  const std::string_view left = text_of(merge.left);
  const std::string_view right = text_of(merge.right);
  if (is_ascii(left[0]) && is_ascii(right[0])) return;
  add_border(left, right);
  add_character(rank);
}

void Vocabulary::add_border(std::string_view left, std::string_view right) {
  const std::size_t border = border_of(left.back(), right[0]);
  const std::uint64_t bit = std::uint64_t{1} << (border % 64);
  if (right.size() < bytes_of_character(right[0]) && all_continue(right.substr(1))) breaks_next_[border / 64] |= bit;
  if (continues(left[0]) && all_continue(left)) breaks_previous_[border / 64] |= bit;
  const std::size_t first = bytes_of_character(right[0]);
  if (first != 2 && first != 3) return;
  std::size_t last = 1;
  while (last < std::min<std::size_t>(left.size(), 3) && continues(left[left.size() - last])) ++last;
  const char* const before = left.data() + left.size() - last;
  if (last == 1 || bytes_of_character(*before) != last || right.size() < first) return;
  neighbours_.add(neighbours_of(neighbour_of(before, last), neighbour_of(right.data(), first)));
}

std::size_t Vocabulary::part_end(std::string_view text, std::size_t pos) const {
  if (has_whole_ || is_ascii(text.back())) return text.size();
  std::uint64_t before = 0;
  for (std::size_t bytes = 0; pos < text.size(); pos += bytes) {
    bytes = bytes_of_character(text[pos]);
    const bool is_one = bytes == 2 || bytes == 3;
    const std::uint64_t behind = is_one ? neighbour_of(text.data() + pos, bytes) : 0;
    if (is_one && before != 0 && !neighbours_.may_contain(neighbours_of(before, behind)) &&
        !breaks_next(text[pos - 1], text[pos]) && !breaks_previous(text[pos - 1], text[pos])) {
      return pos;
    }
    before = behind;
  }
  return text.size();
}

void Vocabulary::add_character(Rank rank) {
  const std::string_view text = text_of(rank);
  if (text.size() > 3 || text.size() < 2 || continues(text[0]) || bytes_of_character(text[0]) != text.size() ||
      !all_continue(text.substr(1))) {
    return;
  }
  // Of three bytes, the first two or the last two are merged, whichever is the earlier token.
  if (text.size() == 3) {
    const Rank first = merged(rank_of_byte(text[0]), rank_of_byte(text[1]));
    const Rank last = merged(rank_of_byte(text[1]), rank_of_byte(text[2]));
    if (merge_of(rank).left >= 256 ? last < first : first < last) return;
  }
  characters_[character_of(text.data(), text.size())] = rank;
}

}  // namespace ctxmgr::bpe
