#include "adapters/bpe/piece_counter.hpp"

namespace ctxmgr::bpe {
namespace {

Key key_of(std::string_view piece, const char* text_end) {
  return shorten(load_key(piece.data(), text_end), piece.size());
}

}  // namespace

bool PieceCounter::add_long(std::string_view piece, const char* text_end) {
  // A token has only so many bytes: far above the limit there is no need to know how far.
  const auto least = static_cast<std::int64_t>(piece.size() / vocabulary_.max_token_bytes());
  if (least > limit_ - total_) {
    total_ += least;
    return false;
  }
  total_ += static_cast<std::int64_t>(encoder_.encode(piece, text_end).size());
  return total_ <= limit_;
}

void PieceCounter::wait(std::string_view piece, const char* text_end) {
  if (piece.size() <= max_key_bytes) vocabulary_.prefetch(key_of(piece, text_end));
  waiting_[waiting_count_++] = {piece.data(), piece.size(), text_end};
  if (waiting_count_ == max_waiting) count_waiting();
}

void PieceCounter::count_waiting() {
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    const auto [text, bytes, text_end] = waiting_[i];
    const std::string_view piece(text, bytes);
    std::int64_t tokens = 1;
    if (piece.size() > max_key_bytes || vocabulary_.find(key_of(piece, text_end)) == no_rank) {
      tokens = static_cast<std::int64_t>(encoder_.encode(piece, text_end).size());
    }
    memo_.store(piece, tokens);
    total_ += tokens;
  }
  waiting_count_ = 0;
}

}  // namespace ctxmgr::bpe
