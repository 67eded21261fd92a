#include "adapters/bpe/piece_counter.hpp"

#include <algorithm>
#include <array>

namespace ctxmgr::bpe {
namespace {

constexpr std::size_t readable = 8;  // bytes that can be read at a piece

}  // namespace

bool PieceCounter::add_now(std::string_view piece) {
  if (add_known(piece)) return total_ <= limit_;
  // A token has only so many bytes: far above the limit there is no need to know how far.
  const auto least = static_cast<std::int64_t>(piece.size() / vocabulary_.max_token_bytes());
  if (least > limit_ - total_) {
    total_ += least;
    return false;
  }
  add_unknown(piece, hash_text(piece));
  return total_ <= limit_;
}

// Of a piece that the memo does not know. The parts of one that is not ASCII are seen again more often than itself.
void PieceCounter::add_parts(std::string_view piece) {
  for (std::size_t pos = 0, end = 0; pos < piece.size() && total_ <= limit_; pos = end) {
    end = vocabulary_.part_end(piece, pos);
    const std::string_view part = piece.substr(pos, end - pos);
    if (pos > 0 && pos + readable > piece.size()) {  // Nothing says what stands behind the piece.
      std::array<char, readable> padded{};
      std::copy(part.begin(), part.end(), padded.begin());
      add_now({padded.data(), part.size()});
      continue;
    }
    if (part.size() < piece.size() && add_known(part)) continue;
    if (part.size() > max_waiting_bytes)
      add_now(part);
    else
      wait(part);
  }
}

void PieceCounter::wait(std::string_view piece) {
  const std::uint64_t hashed = hash_text(piece);
  vocabulary_.prefetch(hashed);
  waiting_[waiting_count_++] = {piece.data(), piece.size(), hashed};
  if (waiting_count_ == max_waiting) count_waiting();
}

void PieceCounter::count_waiting() {
  for (std::size_t i = 0; i < waiting_count_; ++i) {
    add_unknown({waiting_[i].text, waiting_[i].bytes}, waiting_[i].hashed);
  }
  waiting_count_ = 0;
}

void PieceCounter::add_unknown(std::string_view piece, std::uint64_t hashed) {
  const bool is_run = RunTable::is_run(piece);
  if (const std::int64_t known = is_run ? memo_.runs().find(piece) : 0; known != 0) {
    total_ += known;
    return;
  }
  std::int64_t tokens = 1;
  if (vocabulary_.find(piece, hashed) == no_rank) tokens = static_cast<std::int64_t>(encoder_.count_merged(piece));
  if (piece.size() <= PieceMemo::max_bytes)
    memo_.store(piece, tokens);
  else if (is_run)
    memo_.runs().store(piece, tokens);
  total_ += tokens;
}

}  // namespace ctxmgr::bpe
