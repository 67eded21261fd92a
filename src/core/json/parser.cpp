#include "core/json/parser.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "core/ascii.hpp"
#include "core/json/lexer.hpp"
#include "core/real_number.hpp"
#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

std::optional<unsigned> hex_value(char c) {
  if (ascii::is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

class JsonParser {
 public:
  JsonParser(std::string_view text, JsonEvents& events) : text_(text), events_(events) {}

  std::optional<JsonFault> parse() {
    bool is_whole = value();
    while (is_whole && !open_.empty()) is_whole = next_in_container();
    if (is_whole && (skip_blanks(), at_ < text_.size())) is_whole = unexpected();
    if (is_whole) return std::nullopt;
    return fault_.value_or(JsonFault{JsonFault::Kind::stopped, at_});
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size() && is_json_blank(text_[at_])) ++at_;
  }

  bool broken(std::size_t offset, JsonFault::Kind kind = JsonFault::Kind::malformed) {
    fault_ = JsonFault{kind, offset};
    return false;
  }

  /// A token that cannot stand here is a fault at its end, if it is one, so that "[1 23]" is shown at the 3.
  bool unexpected() {
    const auto begin = at_;
    const char c = peek();
    std::string text;
    if (c == '"' && !read_string(text)) return false;
    if ((c == '-' || ascii::is_digit(c)) && !scan_number()) return false;
    for (const std::string_view word : {"true", "false", "null"})
      if (c == word[0] && !read_word(word)) return false;
    return broken(at_ > begin ? at_ - 1 : begin);
  }

  /// Of an open object or array: the member behind a comma, or the end.
  bool next_in_container() {
    skip_blanks();
    const char closing = open_.back() == '{' ? '}' : ']';
    const bool is_first = std::exchange(is_first_, false);
    if (peek() == closing && at_ < text_.size()) {
      ++at_;
      const char bracket = open_.back();
      open_.pop_back();
      return events_.end(bracket);
    }
    if (!is_first) {
      if (peek() != ',') return unexpected();
      ++at_;
      skip_blanks();
    }
    if (open_.back() == '{' && !member_name()) return false;
    return value();
  }

  bool member_name() {
    if (peek() != '"') return unexpected();
    std::string name;
    if (!read_string(name) || !events_.key(name)) return false;
    skip_blanks();
    if (peek() != ':') return unexpected();
    ++at_;
    return true;
  }

  bool value() {
    skip_blanks();
    const char c = peek();
    switch (c) {
      case '{':
      case '[':
        ++at_;
        open_.push_back(c);
        is_first_ = true;
        return events_.begin(c);
      case '"': {
        std::string text;
        return read_string(text) && events_.string(text);
      }
      case 't': return read_word("true") && events_.boolean(true);
      case 'f': return read_word("false") && events_.boolean(false);
      case 'n': return read_word("null") && events_.null();
      default: break;
    }
    return c == '-' || ascii::is_digit(c) ? number() : unexpected();
  }

  bool read_word(std::string_view word) {
    for (const char c : word) {
      if (peek() != c) return broken(at_);
      ++at_;
    }
    return true;
  }

  bool digits() {
    if (!ascii::is_digit(peek())) return broken(at_);
    while (ascii::is_digit(peek())) ++at_;
    return true;
  }

  bool scan_number() {
    is_integral_ = true;
    if (peek() == '-') ++at_;
    if (peek() == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (peek() == '.') {
      is_integral_ = false;
      ++at_;
      if (!digits()) return false;
    }
    if (peek() != 'e' && peek() != 'E') return true;
    is_integral_ = false;
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    return digits();
  }

  bool number() {
    const auto begin = at_;
    if (!scan_number()) return false;
    const auto written = text_.substr(begin, at_ - begin);
    const auto* const end = written.data() + written.size();
    if (is_integral_) {
      std::uint64_t beyond = 0;
      if (written[0] != '-' && std::from_chars(written.data(), end, beyond).ec == std::errc())
        return events_.unsigned_integer(beyond);
      std::int64_t whole = 0;
      const bool has_sign_of_nothing = written == "-0";
      if (!has_sign_of_nothing && std::from_chars(written.data(), end, whole).ec == std::errc())
        return events_.integer(whole);
    }
    const auto real = read_real(written);
    if (!real || !std::isfinite(*real)) return broken(at_ - 1, JsonFault::Kind::number_range);
    return events_.real(*real, written);
  }

  bool read_string(std::string& out) {
    ++at_;
    while (at_ < text_.size()) {
      const auto begin = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20)
        ++at_;
      out.append(text_, begin, at_ - begin);
      if (peek() == '"') return ++at_, true;
      if (peek() != '\\') break;
      ++at_;
      if (!escape(out)) return false;
    }
    return broken(at_);
  }

  bool escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) return broken(at_);
    if (peek() == 'u') return ++at_, unicode_escape(out);
    const auto found = letters.find(peek());
    if (found == std::string_view::npos) return broken(at_);
    out += meant[found];
    ++at_;
    return true;
  }

  std::optional<unsigned> four_digits() {
    unsigned unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const auto digit = at_ < text_.size() ? hex_value(text_[at_]) : std::nullopt;
      if (!digit) return broken(at_), std::nullopt;
      unit = unit * 16 + *digit;
    }
    return unit;
  }

  bool unicode_escape(std::string& out) {
    const auto first = four_digits();
    if (!first) return false;
    char32_t point = *first;
    if (point >= 0xDC00 && point < 0xE000) return broken(at_ - 1, JsonFault::Kind::surrogate);
    if (point >= 0xD800 && point < 0xDC00) {
      for (const char c : {'\\', 'u'}) {
        if (peek() != c) return broken(at_, JsonFault::Kind::surrogate);
        ++at_;
      }
      const auto second = four_digits();
      if (!second) return false;
      if (*second < 0xDC00 || *second >= 0xE000) return broken(at_ - 1, JsonFault::Kind::surrogate);
      point = 0x10000 + ((point - 0xD800) << 10U) + (*second - 0xDC00);
    }
    utf8::append(out, point);
    return true;
  }

  std::string_view text_;
  JsonEvents& events_;
  std::size_t at_ = 0;
  std::vector<char> open_{};
  bool is_first_ = false;
  bool is_integral_ = true;
  std::optional<JsonFault> fault_{};
};

}  // namespace

std::optional<JsonFault> parse_events(std::string_view text, JsonEvents& events) {
  return JsonParser(text, events).parse();
}

std::string json_number(double value, int most_whole_digits) {
  std::array<char, 32> written{};
  const auto made =
      std::to_chars(written.data(), written.data() + written.size(), value, std::chars_format::scientific);
  const std::string_view text(written.data(), static_cast<std::size_t>(made.ptr - written.data()));
  const auto e = text.find('e');
  std::string sign = text[0] == '-' ? "-" : "", digits;
  for (const char c : text.substr(0, e))
    if (ascii::is_digit(c)) digits += c;
  int exponent = 0;
  const auto* const first = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), exponent);
  const int whole = exponent + 1;  // Digits before the point.
  const int size = static_cast<int>(digits.size());
  if (value == 0) return sign + "0.0";
  if (size <= whole && whole <= most_whole_digits)
    return sign + digits.append(static_cast<std::size_t>(whole - size), '0') + ".0";
  if (0 < whole && whole <= most_whole_digits) return sign + digits.insert(static_cast<std::size_t>(whole), ".");
  if (-4 < whole && whole <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-whole), '0') + digits;
  if (size > 1) digits.insert(1, ".");
  const auto power = std::to_string(exponent < 0 ? -exponent : exponent);
  return sign + digits + "e" + (exponent < 0 ? "-" : "+") + (power.size() < 2 ? "0" : "") + power;
}

}  // namespace ctxmgr
