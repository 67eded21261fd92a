#include "ports/estimate_by_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/utf8.hpp"
#include "ports/script_rates.hpp"
#include "ports/usual_runs.hpp"

/// Names that other sources have for other things.
namespace ctxmgr::estimates {
namespace {

constexpr double reserve = 1.01;

enum Kind : std::uint8_t { control, blank, digit, upper, lower, sign, beyond };

constexpr std::array<Kind, 256> kinds = [] {
  std::array<Kind, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    table[c] = c >= 0x80                ? beyond
               : c >= 'a' && c <= 'z'   ? lower
               : c >= 'A' && c <= 'Z'   ? upper
               : c >= '0' && c <= '9'   ? digit
               : is_blank               ? blank
               : c < ' ' || c == '\x7F' ? control
                                        : sign;
  }
  return table;
}();

/// Letters from 1, the border of a word as 0.
bool is_unusual(unsigned first, unsigned second, unsigned third) {
  const auto run = (first * 27 + second) * 27 + third;
  return (usual_runs[run / 64] >> (run % 64) & 1U) == 0;
}

/// Signs that often stand side by side, and so have tokens together.
constexpr std::string_view usual_pairs =
    "\": \", \"} \"{ \"] [\" {\" (\" \") ,\" :\" :{ :[ }, ], }} ]] [[ {{ [{ }] () (( )) ); ), ). )] [( ({ }) "
    "=> -> == != <= >= && || ++ -- += -= :: // /* */ ** </ \"/ /> >< \"> =\" =' '' '] [' ', (' ') \\\\ \\\" "
    "${ %% ## ?? !! .. ,, ;; __ [] {} <> << >> ]( ]. ]: ): )- }; ]; \"; '; .\" \". ./ /. ~~ ``";

constexpr std::size_t ascii_signs = '~' - '!' + 1;

constexpr auto pairs_of_signs = [] {
  std::array<bool, ascii_signs * ascii_signs> table{};
  for (std::size_t i = 0; i + 1 < usual_pairs.size(); i += 3)
    table[static_cast<std::size_t>(usual_pairs[i] - '!') * ascii_signs +
          static_cast<std::size_t>(usual_pairs[i + 1] - '!')] = true;
  return table;
}();

bool is_usual(char before, char sign) {
  return pairs_of_signs[static_cast<std::size_t>(before - '!') * ascii_signs + static_cast<std::size_t>(sign - '!')];
}

/// With the letters of Latin-1, its extensions, and those of Vietnamese.
bool is_latin(char32_t c) { return (c >= 0xC0 && c < 0x250 && c != 0xD7 && c != 0xF7) || (c >= 0x1E00 && c < 0x1F00); }

/// How a family's vocabularies take what all texts have.
struct Family {
  std::size_t column;     ///< Of `ScriptRates`; behind the last one: the most of all.
  bool digits_alone;      ///< Each digit is a token; else three are.
  bool breaks_alone;      ///< Line ends and blanks of different kinds never share a token.
  bool returns_alone;     ///< A carriage return has a token beside its line end.
  bool last_blank_alone;  ///< Of several blanks before a digit, the last one is a token.
  double letters;         ///< Tokens of the letters of ids, for one of o200k_base.
  double unusual;         ///< Tokens for each unusual run of letters.
  double sign;            ///< Tokens of a sign behind another that it seldom follows.
  double letter;          ///< Tokens of a further letter of a word without a blank in front, as in camel case.
};

/// In the order of `VocabularyFamily`.
constexpr std::array<Family, vocabulary_families> families{{
    {ScriptRates::vocabularies, true, true, true, true, 1.1, 0.58, 0.79, 0.055},
    {0, false, false, false, true, 1.0, 0.46, 0.71, 0.045},
    {1, true, false, false, true, 1.08, 0.56, 0.71, 0.045},
    {2, true, true, true, false, 1.02, 0.46, 0.71, 0.045},
    {3, false, true, true, false, 1.06, 0.58, 0.79, 0.055},
    {4, false, false, false, true, 1.08, 0.56, 0.71, 0.045},
}};

/// Blanks and line ends: a run is of one of them.
struct Blanks {
  double runs = 0;
  double mixed = 0;  ///< What they count where runs share tokens.
};

/// Goes over a text once, from one run of a kind to the next.
class Estimate {
 public:
  Estimate(std::string_view text, const Family& family) : text_(text), family_(family) {}

  double tokens() {
    while (at_ < text_.size()) {
      switch (kind_at(at_)) {
        case lower:
        case upper: add_word(); break;
        case digit: add_digits(); break;
        case blank: add_blanks(); break;
        case sign: add_signs(); break;
        case beyond: add_beyond(); break;
        case control:
          tokens_ += 1;
          ++at_;
          break;
      }
    }
    return tokens_;
  }

 private:
  [[nodiscard]] Kind kind_at(std::size_t at) const { return kinds[static_cast<unsigned char>(text_[at])]; }
  [[nodiscard]] bool is(Kind kind, std::size_t at) const { return at < text_.size() && kind_at(at) == kind; }
  [[nodiscard]] bool is_letter(std::size_t at) const { return is(lower, at) || is(upper, at); }

  void add_digits() {
    const auto start = at_;
    while (is(digit, at_)) ++at_;
    const auto count = at_ - start;
    tokens_ += static_cast<double>(family_.digits_alone ? count : (count + 2) / 3);
  }

  /// Words in camel case are several; letters among digits are an id's.
  void add_word() {
    const bool follows_digit = at_ > 0 && is(digit, at_ - 1);
    auto end = at_;
    while (is_letter(end)) ++end;
    const bool is_of_id = follows_digit || is(digit, end);
    while (at_ < end) add_hump(end, is_of_id);
    end_of_word_ = end;
  }

  void add_hump(std::size_t end, bool is_of_id) {
    const char before = at_ == 0 ? ' ' : text_[at_ - 1];
    std::size_t uppers = 0;
    std::size_t lowers = 0;
    std::size_t unusual = 0;
    unsigned first = 0;
    unsigned second = 0;
    for (; at_ < end; ++at_) {
      const bool is_upper = kind_at(at_) == upper;
      if (is_upper && lowers > 0) break;
      const auto letter = (static_cast<unsigned>(text_[at_]) | 0x20U) - 'a' + 1;
      unusual += uppers + lowers > 0 && is_unusual(first, second, letter) ? 1 : 0;
      first = second;
      second = letter;
      ++(is_upper ? uppers : lowers);
    }
    unusual += uppers + lowers > 1 && is_unusual(first, second, 0) ? 1 : 0;
    const auto length = static_cast<double>(uppers + lowers);
    const auto rare = static_cast<double>(unusual);
    tokens_ += is_of_id && uppers < 2 ? of_id(length, rare)
               : uppers > 1           ? of_capitals(length, rare, lowers > 0)
                                      : of_word(length, rare, before);
  }

  /// However rare the letters are.
  [[nodiscard]] double at_most(double tokens, double length, double share) const {
    return std::max(1.0, std::min(tokens, 0.4 + share * family_.letters * length));
  }
  [[nodiscard]] double of_rare(double unusual) const {
    return (unusual > 0 ? 0.06 : 0.0) + family_.unusual * std::max(0.0, unusual - 1) + 0.1 * std::max(0.0, unusual - 4);
  }
  [[nodiscard]] double of_word(double length, double unusual, char before) const {
    const double each = before == ' ' ? 0.0 : before == '\n' ? 0.08 : family_.letter;
    const double without_blank = each * std::max(0.0, length - (before == '\n' ? 3 : 4));
    return at_most(1 + 0.04 * std::max(0.0, length - 7) + of_rare(unusual) + without_blank, length, 0.54);
  }
  [[nodiscard]] double of_capitals(double length, double unusual, bool end_in_lower) const {
    return at_most(end_in_lower ? 0.62 * length : 0.36 * length + of_rare(unusual), length, 0.594);
  }
  [[nodiscard]] double of_id(double length, double unusual) const {
    return at_most(0.55 * length + 0.3 * std::max(0.0, unusual - 1), length, 0.54);
  }

  /// A run of one blank: how many blanks it has. A line end with its carriage return is one.
  [[nodiscard]] std::size_t skip_run() {
    const char c = text_[at_];
    const auto start = at_;
    while (at_ < text_.size() && text_[at_] == c) ++at_;
    const bool of_line_end = c == '\r' && at_ < text_.size() && text_[at_] == '\n' && !family_.returns_alone;
    return at_ - start - (of_line_end ? 1 : 0);
  }

  /// So many blanks of a kind are a token.
  [[nodiscard]] double most_in_token(char c) const {
    if (c == ' ' && !family_.breaks_alone) return 64;
    if (c == '\r') return 1;
    return c == '\t' && family_.returns_alone ? 8 : 16;
  }

  /// One blank joins the word behind it, line breaks the signs before them.
  void add_blanks() {
    const bool follows_sign = at_ > 0 && is(sign, at_ - 1);
    Blanks lines;  // up to the last line break
    Blanks rest;
    std::size_t last = 0;
    while (is(blank, at_)) {
      const char c = text_[at_];
      last = skip_run();
      if (last > 0) {
        const auto length = static_cast<double>(last);
        rest.runs += 1;
        rest.mixed += 0.35 + 0.15 * std::min(length, 4.0);
        tokens_ += std::max(0.0, length / most_in_token(c) - 1);
      }
      if (c != '\n' && c != '\r') continue;
      lines.runs += rest.runs;
      lines.mixed += rest.mixed;
      rest = {};
    }
    const bool before_digit = is(digit, at_) || is(control, at_);
    const bool joins = last == 1 && text_[at_ - 1] == ' ' && !before_digit && at_ < text_.size();
    if (before_digit && last > 1 && rest.runs > 0 && family_.last_blank_alone) tokens_ += 1;
    add_runs(lines, rest, follows_sign, joins);
  }

  void add_runs(const Blanks& lines, const Blanks& rest, bool follows_sign, bool joins) {
    if (family_.breaks_alone) {
      tokens_ += lines.runs + rest.runs - (joins ? 1 : 0);
      return;
    }
    if (lines.runs == 1)
      tokens_ += follows_sign ? 0.0 : 1.0;
    else if (lines.runs > 1)
      tokens_ += std::max(1.0, lines.mixed);
    if (rest.runs == 1)
      tokens_ += joins ? 0.0 : 1.0;
    else if (rest.runs > 1)
      tokens_ += std::max(1.0, rest.mixed);
  }

  void add_signs() {
    const auto start = at_++;
    double tokens = 1;
    std::size_t same = 1;
    std::size_t joined = 1;  // signs of the last token
    for (; is(sign, at_); ++at_) {
      const char before = text_[at_ - 1];
      const char c = text_[at_];
      if (c == before) {
        ++same;
        joined = same == 3 ? 3 : joined;
        tokens += c == '\\' ? 0.4 : same < 4 ? 0.22 : family_.breaks_alone ? 1.0 / 16 : 1.0 / 24;
        continue;
      }
      same = 1;
      const bool joins = is_usual(before, c);
      tokens += joins && joined < 3 ? 0.17 : joins ? 0.5 : family_.sign;
      joined = joins && joined < 3 ? joined + 1 : 1;
    }
    tokens_ += tokens;
    if (at_ - start == 1 && is_letter(at_)) tokens_ -= joins_word(text_[start]) * (family_.breaks_alone ? 0.5 : 1.0);
  }

  /// A sign before a word is often one token with it.
  static double joins_word(char c) {
    constexpr std::string_view often = "_.-/($";
    return often.find(c) != std::string_view::npos ? 0.5 : 0.15;
  }

  void add_beyond() {
    const auto first = utf8::decode(text_, at_);
    if (is_latin(first.value)) return add_accent(first);
    const auto& rates = rates_of(first.value);
    const double each = rates.rate(family_.column);
    double tokens = 0;
    for (char32_t before = 0; is(beyond, at_);) {
      const auto next = utf8::decode(text_, at_);
      if (is_latin(next.value) || (next.value != before && rates_of(next.value).hundredths != rates.hundredths)) break;
      tokens += rates.repeats && next.value == before ? each * 0.26 : each;
      before = next.value;
      at_ += next.bytes;
    }
    tokens_ += std::max(1.0, tokens);
  }

  /// In a word an accent breaks it; what stands around it is counted by itself.
  void add_accent(const utf8::CodePoint& letter) {
    const bool follows_accent = end_of_accent_ == at_ && at_ > 0;
    const bool is_in_word = !follows_accent && (end_of_word_ == at_ || is(lower, at_ + letter.bytes));
    at_ += letter.bytes;
    end_of_accent_ = at_;
    end_of_word_ = at_;
    if (!is_in_word)
      tokens_ += 0.7 * rates_of(letter.value).rate(family_.column);
    else
      tokens_ += family_.unusual * (letter.value >= 0x1E00 ? 0.2 : letter.value < 0x100 ? 0.8 : 1.7);
  }

  const std::string_view text_;
  const Family& family_;
  std::size_t at_ = 0;
  std::size_t end_of_word_ = 0;
  std::size_t end_of_accent_ = 0;
  double tokens_ = 0;
};

}  // namespace
}  // namespace ctxmgr::estimates

namespace ctxmgr {

std::int64_t estimate_by_kind(std::string_view text, VocabularyFamily family) {
  const auto& rates = estimates::families[static_cast<std::size_t>(family)];
  return static_cast<std::int64_t>(std::ceil(estimates::Estimate(text, rates).tokens() * estimates::reserve));
}

std::unique_ptr<TokenCounter> make_estimating_counter(VocabularyFamily family) {
  return make_token_counter([family](std::string_view text) { return estimate_by_kind(text, family); });
}

}  // namespace ctxmgr
