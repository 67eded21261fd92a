#include "engine/words/figure_tokens.hpp"

#include <utf8proc.h>

#include "core/utf8.hpp"
#include "engine/structure/case_folding.hpp"

namespace ctxmgr::engine {
namespace {

enum class CharacterKind { blank, letter, digit, joint, sign, ideograph };

bool is_ideograph(char32_t c) {
  return (c >= 0x2E80 && c <= 0x30FF && c != 0x3000) || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF);
}

/// One spelling for blanks, dashes, apostrophes and the digits of other scripts.
char32_t plain_character(char32_t c) {
  if (c == 0x00A0 || c == 0x202F || (c >= 0x2000 && c <= 0x200A) || c == 0x3000) return ' ';
  if (c >= 0x2010 && c <= 0x2015) return '-';
  if (c == 0x2212) return '-';
  if (c == 0x2019 || c == 0x02BC) return '\'';
  for (const char32_t zero : {0x0660U, 0x06F0U, 0x0966U, 0x0E50U, 0xFF10U}) {
    if (c >= zero && c <= zero + 9) return '0' + (c - zero);
  }
  return c;
}

CharacterKind character_kind(char32_t c) {
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return CharacterKind::blank;
  if (c >= '0' && c <= '9') return CharacterKind::digit;
  if (is_ideograph(c)) return CharacterKind::ideograph;
  if (c == '_') return CharacterKind::letter;
  if (c == '.' || c == ',' || c == ':' || c == '\'' || c == '/' || c == '@' || c == '-' || c == '\\')
    return CharacterKind::joint;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_NO: return CharacterKind::letter;
    default: return CharacterKind::sign;
  }
}

bool is_capital(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

/// Reads a text once, from its start to its end.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::vector<FigureToken> read() {
    while (at_ < text_.size()) step();
    end_line();
    return std::move(tokens_);
  }

 private:
  void step() {
    const auto c = next_at(at_);
    const auto kind = character_kind(c.value);
    if (kind == CharacterKind::letter || kind == CharacterKind::digit) return word();
    if (kind == CharacterKind::ideograph || kind == CharacterKind::sign) {
      std::string sign;
      utf8::append(sign, c.value);
      add(std::move(sign));
    }
    if (kind == CharacterKind::blank) after_blank_ = true;
    if (c.value == '\n') end_line();
    if (c.value == '.' || c.value == '!' || c.value == '?' || c.value == 0x3002) starts_sentence_ = true;
    if (c.value == '#' || c.value == '*') marked_ |= line_begin_ == tokens_.size() || tokens_.back().text == "#";
    if (c.value == ':') colon_ = true;
    if (kind != CharacterKind::blank && c.value != ':' && c.value != '*') colon_ = false;
    at_ += c.bytes;
  }

  /// Letters and digits, with the signs between them.
  void word() {
    std::string word;
    const auto capital = is_capital(next_at(at_).value);
    while (at_ < text_.size()) {
      const auto c = next_at(at_);
      const auto kind = character_kind(c.value);
      const bool joins =
          kind == CharacterKind::joint && at_ + c.bytes < text_.size() && is_word(next_at(at_ + c.bytes).value);
      if (!joins && kind != CharacterKind::letter && kind != CharacterKind::digit) break;
      utf8::append(word, c.value);
      at_ += c.bytes;
    }
    colon_ = false;
    add(std::move(word), capital);
  }

  [[nodiscard]] utf8::CodePoint next_at(std::size_t at) const {
    auto c = utf8::decode(text_, at);
    c.value = plain_character(c.value);
    return c;
  }

  static bool is_word(char32_t c) {
    const auto kind = character_kind(c);
    return kind == CharacterKind::letter || kind == CharacterKind::digit;
  }

  void add(std::string text, bool capital = false) {
    FigureToken token;
    token.folded = fold_case(text);
    token.text = std::move(text);
    token.capital = capital;
    token.starts_sentence = starts_sentence_;
    token.after_blank = after_blank_;
    tokens_.push_back(std::move(token));
    if (is_word(utf8::decode(tokens_.back().text, 0).value)) starts_sentence_ = false;
    after_blank_ = false;
  }

  void end_line() {
    for (auto i = line_begin_; i < tokens_.size(); ++i) tokens_[i].in_heading = marked_ || colon_;
    line_begin_ = tokens_.size();
    marked_ = colon_ = false;
    starts_sentence_ = after_blank_ = true;
  }

  std::string_view text_;
  std::vector<FigureToken> tokens_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  bool starts_sentence_ = true;
  bool after_blank_ = true;
  bool marked_ = false;  ///< The line begins with the mark of a heading or of bold text.
  bool colon_ = false;   ///< Nothing but signs stands behind the line's last colon.
};

}  // namespace

std::vector<FigureToken> figure_tokens(std::string_view text) { return Tokens(text).read(); }

}  // namespace ctxmgr::engine
