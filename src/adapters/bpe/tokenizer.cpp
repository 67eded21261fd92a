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

bool is_letter(CharClass c) { return c == CharClass::upper || c == CharClass::lower || c == CharClass::letter; }

bool is_safe_cut(CharClass before, CharClass behind, char behind_byte) {
  if (behind == CharClass::malformed || behind == CharClass::end) return false;
  if (behind == CharClass::mark) return false;
  if (before == CharClass::number) return behind != CharClass::number;
  return is_letter(before) && !is_letter(behind) && behind_byte != '\'';
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

std::size_t last_safe_cut(std::string_view text, std::size_t from) {
  Char behind{CharClass::end, 0};
  for (std::size_t pos = text.size(); pos > from;) {
    std::size_t start = pos - 1;
    while (start > from && pos - start < 4 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
    const Char before = char_at(text, start);
    if (start + before.bytes == pos && pos < text.size() &&
        is_safe_cut(before.char_class, behind.char_class, text[pos])) {
      return pos;
    }
    behind = before;
    pos = start;
  }
  return 0;
}

}  // namespace ctxmgr::bpe
