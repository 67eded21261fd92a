#include "adapters/bpe/tokenizer.hpp"

#include <algorithm>

#include "adapters/bpe/piece_cache.hpp"
#include "adapters/bpe/piece_encoder.hpp"

namespace ctxmgr::bpe {
namespace {

// Calls `piece(text, text_end)` for every piece until it returns false. Returns where bytes that are not UTF-8 stopped
// it, else the size of the text.
template <SplitPattern pattern, class OnPiece>
std::size_t split(std::string_view text, const OnPiece& on_piece) {
  const char* const text_end = text.data() + text.size();
  for (std::size_t pos = 0; pos < text.size();) {
    const std::size_t end = piece_end<pattern>(text, pos);
    if (end == malformed_piece) return pos;
    if (!on_piece(text.substr(pos, end - pos), text_end)) break;
    pos = end;
  }
  return text.size();
}

template <class OnPiece>
std::size_t split(SplitPattern pattern, std::string_view text, const OnPiece& on_piece) {
  switch (pattern) {
    case SplitPattern::cl100k: return split<SplitPattern::cl100k>(text, on_piece);
    case SplitPattern::qwen: return split<SplitPattern::qwen>(text, on_piece);
    case SplitPattern::o200k: return split<SplitPattern::o200k>(text, on_piece);
  }
  return text.size();
}

template <class OnPiece>
void split_repaired(SplitPattern pattern, std::string_view text, const OnPiece& on_piece) {
  const std::size_t stopped = split(pattern, text, on_piece);
  if (stopped < text.size()) split(pattern, repair_utf8(text.substr(stopped)), on_piece);
}

bool is_letter(CharClass c) { return c == CharClass::upper || c == CharClass::lower || c == CharClass::letter; }

bool is_safe_cut(CharClass before, CharClass behind, char behind_byte) {
  if (behind == CharClass::malformed || behind == CharClass::end) return false;
  if (before == CharClass::number) return behind != CharClass::number;
  return is_letter(before) && !is_letter(behind) && behind != CharClass::mark && behind_byte != '\'';
}

// `remembered(piece or its key, count)` gives the tokens of a piece, which count() counts.
template <class Remembered>
std::int64_t count_pieces(const Tokenizer& tokenizer, std::string_view text, std::int64_t limit,
                          const Remembered& remembered) {
  const Vocabulary& vocabulary = tokenizer.vocabulary;
  std::int64_t total = 0;
  PieceEncoder encoder(vocabulary);
  split_repaired(tokenizer.pattern, text, [&](std::string_view piece, const char* text_end) {
    if (piece.size() <= max_key_bytes) {
      const Key key = shorten(load_key(piece.data(), text_end), piece.size());
      total += remembered(key, [&] {
        if (vocabulary.find(key) != no_rank) return std::int64_t{1};
        return static_cast<std::int64_t>(encoder.encode(piece, text_end).size());
      });
    } else {
      const auto least = static_cast<std::int64_t>(piece.size() / vocabulary.max_token_bytes());
      if (least > limit - total) {
        total += least;
      } else {
        total += remembered(piece, [&] { return static_cast<std::int64_t>(encoder.encode(piece, text_end).size()); });
      }
    }
    return total <= limit;
  });
  return total;
}

}  // namespace

std::int64_t Tokenizer::count(std::string_view text, std::int64_t limit) const {
  if (text.size() < PieceCache::min_text_bytes) {
    return count_pieces(*this, text, limit, [](const auto& /*piece*/, const auto& count) { return count(); });
  }
  PieceCache cache(text.size());
  return count_pieces(*this, text, limit, [&](const auto& piece, const auto& count) {
    std::int64_t found = cache.find(piece);
    if (found == 0) {
      found = count();
      cache.store(piece, found);
    }
    return found;
  });
}

std::vector<Rank> Tokenizer::encode(std::string_view text) const {
  std::vector<Rank> ranks;
  PieceEncoder encoder(vocabulary);
  split_repaired(pattern, text, [&](std::string_view piece, const char* text_end) {
    const auto& tokens = encoder.encode(piece, text_end);
    ranks.insert(ranks.end(), tokens.begin(), tokens.end());
    return true;
  });
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
