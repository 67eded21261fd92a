#include "adapters/bpe/piece_counter.hpp"

namespace ctxmgr::bpe {

bool PieceCounter::add_now(std::string_view piece) {
  // A token has only so many bytes: far above the limit there is no need to know how far.
  const auto least = static_cast<std::int64_t>(piece.size() / vocabulary_.max_token_bytes());
  if (least > limit_ - total_) {
    total_ += least;
    return false;
  }
  total_ += count(piece, hash_text(piece));
  return total_ <= limit_;
}

void PieceCounter::wait(std::string_view piece) {
  const std::uint64_t hashed = hash_text(piece);
  vocabulary_.prefetch(hashed);
  waiting_[waiting_count_++] = {piece.data(), piece.size(), hashed};
  if (waiting_count_ == max_waiting) count_waiting();
}

void PieceCounter::count_waiting() {
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    const std::string_view piece(waiting_[i].text, waiting_[i].bytes);
    const std::int64_t tokens = count(piece, waiting_[i].hashed);
    if (piece.size() <= PieceMemo::max_bytes) memo_.store(piece, tokens);
    total_ += tokens;
  }
  waiting_count_ = 0;
}

std::int64_t PieceCounter::count(std::string_view piece, std::uint64_t hashed) {
  return vocabulary_.find(piece, hashed) != no_rank ? 1 : static_cast<std::int64_t>(encoder_.count_merged(piece));
}

}  // namespace ctxmgr::bpe
