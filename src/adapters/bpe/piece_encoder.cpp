#include "adapters/bpe/piece_encoder.hpp"

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
  if (known_.empty()) return bpe::stay_apart(vocabulary_, left, right);
  // The top bit tells the pair of the first token twice from an empty slot.
  const std::uint64_t key =
      1ULL << 63U | static_cast<std::uint64_t>(left) << 32U | static_cast<std::uint64_t>(right) << 1U;
  std::uint64_t& slot = known_[hash(key, known_.size())];
  if ((slot & ~1ULL) != key) slot = key | static_cast<std::uint64_t>(bpe::stay_apart(vocabulary_, left, right));
  return (slot & 1U) != 0;
}

std::span<const Rank> PieceEncoder::encode(std::string_view piece, const char* text_end) {
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
