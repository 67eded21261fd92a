#include "adapters/bpe/piece_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ctxmgr::bpe {

bool stay_apart(const Vocabulary& vocabulary, Rank left, Rank right) {
  // Undo the merges of both, the youngest first; of equal ones the right, since merging goes from left to right. A merge
  // across the border that is older than what has been undone would have come first.
  Rank limit = no_rank;
  while (true) {
    if (vocabulary.merged(left, right) < limit) return false;
    if (left < 256 && right < 256) return true;
    if (left > right) {
      limit = left;
      left = vocabulary.merge_of(left).right;
    } else {
      limit = right + 1;
      right = vocabulary.merge_of(right).left;
    }
  }
}

bool PieceEncoder::stay_apart(Rank left, Rank right) {
  if (const auto known = memo_.find(left, right)) return *known;
  const bool apart = bpe::stay_apart(vocabulary_, left, right);
  memo_.store(left, right, apart);
  return apart;
}

// Merges the pair of the lowest rank, the leftmost of equal ones, as long as there is one. Loops have a fixed number of
// rounds, which processors foresee.
std::span<const Rank> PieceEncoder::merge(std::string_view piece) {
  Rank* const tokens = short_tokens_;
  Rank merged[2 * max_merge_bytes + 1];  // what each token and the next one merge to
  std::fill(std::begin(merged), std::end(merged), no_rank);
  std::size_t count = piece.size();
  for (std::size_t i = 0; i < count; ++i) tokens[i] = vocabulary_.rank_of_byte(piece[i]);
  for (std::size_t i = 0; i + 1 < count; ++i) merged[i] = vocabulary_.merged(tokens[i], tokens[i + 1]);
  while (true) {
    std::uint64_t lowest = std::uint64_t{no_rank} << 8U;
    for (std::size_t i = 0; i < max_merge_bytes; ++i) lowest = std::min(lowest, std::uint64_t{merged[i]} << 8U | i);
    const std::size_t at = lowest & 0xFFU;
    if (lowest >> 8U == no_rank) return {tokens, count};
    --count;
    tokens[at] = merged[at];
    std::memmove(tokens + at + 1, tokens + at + 2, sizeof(Rank) * (max_merge_bytes - 1));
    std::memmove(merged + at, merged + at + 1, sizeof(Rank) * (max_merge_bytes));
    if (at + 1 < count) merged[at] = vocabulary_.merged(tokens[at], tokens[at + 1]);
    if (at > 0) merged[at - 1] = vocabulary_.merged(tokens[at - 1], tokens[at]);
  }
}

std::span<const Rank> PieceEncoder::match(std::string_view piece, const char* text_end) {
  Rank* tokens = short_tokens_;
  std::uint64_t short_dead = 0;
  std::uint64_t* dead = &short_dead;  // a bit for each place where a token must not end
  if (piece.size() > short_bytes) {
    long_tokens_.resize(piece.size());
    long_dead_.assign(piece.size() / 64 + 1, 0);
    tokens = long_tokens_.data();
    dead = long_dead_.data();
  }
  std::size_t count = 0;
  std::size_t pos = 0;
  std::size_t last_bytes = 0;
  Match next = vocabulary_.longest(piece.data(), piece.size(), piece.size(), text_end);
  while (pos < piece.size()) {
    const char* const here = piece.data() + pos;
    const std::size_t end = pos + next.bytes;
    if (next.bytes == 0) {  // Nothing may stand here: the token before has to be shorter.
      if (count == 0) break;
      dead[pos / 64] |= std::uint64_t{1} << (pos % 64);
      next = {tokens[--count], last_bytes};
      pos -= last_bytes;
      last_bytes = count == 0 ? 0 : vocabulary_.bytes_of(tokens[count - 1]);
    } else if ((dead[end / 64] >> (end % 64) & 1U) == 0 &&
               (count == 0 || !vocabulary_.may_merge_across(here, last_bytes, next.bytes) ||
                stay_apart(tokens[count - 1], next.rank))) {
      tokens[count++] = next.rank;
      pos = end;
      last_bytes = next.bytes;
      next = vocabulary_.longest(piece.data() + pos, piece.size() - pos, piece.size(), text_end);
    } else {
      next = vocabulary_.longest(here, piece.size() - pos, next.bytes - 1, text_end);
    }
  }
  return {tokens, count};
}

}  // namespace ctxmgr::bpe
