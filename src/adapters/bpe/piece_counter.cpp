#include "adapters/bpe/piece_counter.hpp"

namespace ctxmgr::bpe {

bool PieceCounter::add_long(std::string_view piece, const char* text_end) {
  // A token has only so many bytes: far above the limit there is no need to know how far.
  const auto least = static_cast<std::int64_t>(piece.size() / vocabulary_.max_token_bytes());
  if (least > limit_ - total_) {
    total_ += least;
    return false;
  }
  std::int64_t tokens = cache_ ? cache_->find(piece) : 0;
  if (tokens == 0) {
    tokens = static_cast<std::int64_t>(encoder_.encode(piece, text_end).size());
    if (cache_) cache_->store(piece, tokens);
  }
  total_ += tokens;
  return total_ <= limit_;
}

void PieceCounter::count_waiting() {
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    const Waiting& piece = waiting_[i];
    std::int64_t tokens = 1;
    if (vocabulary_.find(piece.key) == no_rank) {
      tokens = static_cast<std::int64_t>(encoder_.encode({piece.text, bytes_of(piece.key)}, piece.text_end).size());
    }
    if (cache_) cache_->store(piece.key, tokens);
    total_ += tokens;
  }
  waiting_count_ = 0;
}

}  // namespace ctxmgr::bpe
