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

const std::vector<Rank>& PieceEncoder::encode(std::string_view piece, const char* text_end) {
  tokens_.clear();
  dead_.assign(piece.size() / 64 + 1, 0);
  std::size_t pos = 0;
  std::size_t last_bytes = 0;
  Match next = vocabulary_.longest(piece.data(), piece.size(), piece.size(), text_end);
  while (pos < piece.size()) {
    const char* const here = piece.data() + pos;
    if (next.bytes == 0) {  // Nothing may stand here: the token before has to be shorter.
      if (tokens_.empty()) break;
      dead_[pos / 64] |= std::uint64_t{1} << (pos % 64);
      next = {tokens_.back(), last_bytes};
      tokens_.pop_back();
      pos -= next.bytes;
      last_bytes = tokens_.empty() ? 0 : vocabulary_.bytes_of(tokens_.back());
    } else if (!is_dead(pos + next.bytes) &&
               (tokens_.empty() || !vocabulary_.may_merge_across(here, last_bytes, next.bytes) ||
                stay_apart(vocabulary_, tokens_.back(), next.rank))) {
      tokens_.push_back(next.rank);
      pos += next.bytes;
      last_bytes = next.bytes;
      next = vocabulary_.longest(here + next.bytes, piece.size() - pos, piece.size(), text_end);
    } else {
      next = vocabulary_.longest(here, piece.size() - pos, next.bytes - 1, text_end);
    }
  }
  return tokens_;
}

}  // namespace ctxmgr::bpe
