#include "adapters/bpe/tokenizer.hpp"

#include <algorithm>

#include "adapters/bpe/normal_form.hpp"
#include "adapters/bpe/piece_counter.hpp"
#include "adapters/bpe/piece_encoder.hpp"

namespace ctxmgr::bpe {
namespace {

template <class OnPiece, class AtEnd>
void split(SplitPattern pattern, std::string_view text, const OnPiece& on_piece, const AtEnd& at_end) {
  switch (pattern) {
    case SplitPattern::cl100k: return split<SplitPattern::cl100k>(text, on_piece, at_end);
    case SplitPattern::qwen: return split<SplitPattern::qwen>(text, on_piece, at_end);
    case SplitPattern::o200k: return split<SplitPattern::o200k>(text, on_piece, at_end);
  }
}

}  // namespace

std::unique_ptr<PieceMemo> memo_of(const Vocabulary& vocabulary) {
  constexpr std::size_t frequent = 40'000;
  auto memo = std::make_unique<PieceMemo>(vocabulary.memory());
  // The most frequent last, since they may take the places of others.
  for (std::size_t rank = std::min(vocabulary.size(), frequent); rank-- > 0;) {
    const std::string_view text = vocabulary.text_of(static_cast<Rank>(rank));
    if (text.size() <= PieceMemo::max_bytes) memo->store(text, 1);
  }
  return memo;
}

std::int64_t Tokenizer::count(std::string_view text, std::int64_t limit) const {
  std::string normal;
  if (normalizes) text = normal = normal_form_c(text);
  PieceCounter counter(vocabulary, *memo, limit);
  split(
      pattern, text,
      [&](std::string_view piece, bool stays) { return stays ? counter.add(piece) : counter.add_now(piece); },
      [&] { counter.total(); });
  return counter.total();
}

std::vector<Rank> Tokenizer::encode(std::string_view text) const {
  std::string normal;
  if (normalizes) text = normal = normal_form_c(text);
  std::vector<Rank> ranks;
  PieceEncoder encoder(vocabulary);
  split(
      pattern, text,
      [&](std::string_view piece, bool) {
        const auto tokens = encoder.encode(piece);
        ranks.insert(ranks.end(), tokens.begin(), tokens.end());
        return true;
      },
      [] {});
  return ranks;
}

}  // namespace ctxmgr::bpe
