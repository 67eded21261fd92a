#include "ports/estimate_by_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

constexpr double reserve = 1.01;

bool is_lower(char32_t c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char32_t c) { return c >= 'A' && c <= 'Z'; }
bool is_figure(char32_t c) { return c >= '0' && c <= '9'; }
bool is_blank(char32_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// With the letters of Latin-1, its extensions, and those of Vietnamese.
bool is_latin(char32_t c) {
  if (c < 0x80) return is_lower(c) || is_upper(c);
  return (c >= 0xC0 && c < 0x250 && c != 0xD7 && c != 0xF7) || (c >= 0x1E00 && c < 0x1F00);
}

bool is_sign(char32_t c) { return c < 0x80 && !is_latin(c) && !is_figure(c) && !is_blank(c); }

/// Of a code point of any other script, and of symbols.
double rate_of(char32_t c) {
  struct Script {
    char32_t end;
    double tokens;
  };
  constexpr std::array<Script, 7> scripts{{{0x250, 0.5},       // signs of Latin-1
                                           {0x400, 0.45},      // Greek
                                           {0x530, 0.32},      // Cyrillic
                                           {0x800, 0.4},       // Hebrew, Arabic
                                           {0x980, 0.42},      // Devanagari
                                           {0x3000, 0.5},      // other Indic scripts, symbols
                                           {0x10000, 0.85}}};  // CJK
  const auto* const script = std::find_if(scripts.begin(), scripts.end(), [c](const Script& s) { return c < s.end; });
  return script == scripts.end() ? 2.0 : script->tokens;
}

/// Goes over a text once, from one run of a kind to the next.
class Estimate {
 public:
  explicit Estimate(std::string_view text) : text_(text) { read(); }

  double tokens() {
    while (length_ > 0) {
      if (is_latin(now_)) {
        add_word();
      } else if (is_figure(now_)) {
        tokens_ += std::ceil(static_cast<double>(skip(is_figure)) / 3.0);
      } else if (is_blank(now_)) {
        add_blanks();
      } else if (is_sign(now_)) {
        add_signs();
      } else {
        tokens_ += rate_of(now_);
        next();
      }
    }
    return tokens_;
  }

 private:
  void read() {
    length_ = 0;
    if (at_ >= text_.size()) return;
    const auto decoded = utf8::decode(text_, at_);
    now_ = decoded.value;
    length_ = decoded.bytes;
  }
  void next() {
    before_ = now_;
    at_ += length_;
    read();
  }
  template <class Kind>
  std::size_t skip(Kind kind) {
    std::size_t count = 0;
    for (; length_ > 0 && kind(now_); next()) ++count;
    return count;
  }

  /// Words in camel case are several; letters among digits are an id's.
  void add_word() {
    const auto start = at_;
    const bool follows_digit = at_ > 0 && is_figure(before_);
    skip(is_latin);
    const bool is_of_id = follows_digit || (length_ > 0 && is_figure(now_));
    at_ = start;
    double accents = 0;
    double of_vietnamese = 0;
    for (read(); length_ > 0 && is_latin(now_);) {
      const auto upper = skip(is_upper);
      std::size_t lower = 0;
      for (; length_ > 0 && is_latin(now_) && !is_upper(now_); next()) {
        ++lower;
        if (now_ >= 0x1E00)
          of_vietnamese += 0.9;
        else if (now_ >= 0x80)
          accents += now_ >= 0x100 ? 1.9 : 0.9;
      }
      tokens_ += hump(upper, lower, is_of_id);
    }
    // Vietnamese has its syllables whole in vocabularies; elsewhere an accent is seldom English.
    tokens_ += of_vietnamese > 0 ? (of_vietnamese + accents) * 0.22 : accents;
  }

  static double hump(std::size_t upper, std::size_t lower, bool is_of_id) {
    const auto length = static_cast<double>(upper + lower);
    if (upper > 1 && lower > 0) return 0.7 * length;
    if (upper > 1) return is_of_id ? 0.6 * length : std::max(1.0, 0.46 * length);
    if (length <= 7) return is_of_id ? std::max(1.0, 0.5 * length) : 1.0;
    return length <= 16 ? 1.0 + 0.26 * (length - 7) : std::max(2.9, 0.53 * length);
  }

  /// One blank joins the word behind it, line breaks the signs before them.
  void add_blanks() {
    const bool follows_sign = at_ > 0 && is_sign(before_);
    std::size_t since_break = 0;
    bool breaks = false;
    std::size_t count = 0;
    for (; length_ > 0 && is_blank(now_); next()) {
      ++count;
      ++since_break;
      if (now_ == ' ' || now_ == '\t') continue;
      breaks = true;
      since_break = 0;
    }
    const bool before_digit = length_ > 0 && is_figure(now_);
    const auto long_run = static_cast<double>(count) / 64.0;
    if (breaks) tokens_ += follows_sign ? 0.0 : 1.0;
    if (since_break == 1)
      tokens_ += before_digit || length_ == 0 ? 1.0 : 0.0;
    else if (since_break > 1)
      tokens_ += before_digit ? 2.0 : 1.0;
    if (count > 32) tokens_ += long_run;
  }

  void add_signs() {
    const auto first = now_;
    bool is_line = true;
    std::size_t count = 0;
    for (; length_ > 0 && is_sign(now_); next()) {
      is_line = is_line && now_ == first;
      ++count;
    }
    const auto length = static_cast<double>(count);
    if (is_line && count > 3)
      tokens_ += 1.0 + length / 16.0;
    else
      tokens_ += count == 1 ? 1.0 : count == 2 ? 1.2 : count == 3 ? 1.95 : 0.66 * length;
    if (count > 1 || length_ == 0 || now_ >= 0x80 || !is_latin(now_)) return;
    // A sign before a word is often one with it.
    tokens_ -= first == '_' ? 1.0 : first == '\'' || first == '"' || first == '-' ? 0.15 : 0.6;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t length_ = 0;  ///< Of the code point at `at_`; 0 at the end.
  char32_t now_ = 0;
  char32_t before_ = 0;
  double tokens_ = 0;
};

}  // namespace

std::int64_t estimate_by_kind(std::string_view text) {
  return static_cast<std::int64_t>(std::ceil(Estimate(text).tokens() * reserve));
}

}  // namespace ctxmgr
