#include "prompts/jinja/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/ascii.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

class Lexer {
 public:
  Lexer(std::string_view source, const LexerOptions& options) : source_(source), options_(options) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) read_root();
    push(TokenType::end, at_, {});
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view text, std::size_t at) const { return source_.substr(at, text.size()) == text; }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void push(TokenType type, std::size_t offset, std::string text) {
    tokens_.push_back({type, static_cast<std::uint32_t>(offset), std::move(text)});
  }

  [[noreturn]] void fail(std::string message, std::size_t offset) const {
    refuse(std::move(message), static_cast<std::uint32_t>(offset));
  }

  std::size_t skip_space(std::size_t at) const { return source_.size() - strip(source_.substr(at), Side::left).size(); }

  std::size_t find_opening() const {
    for (std::size_t at = at_; (at = source_.find('{', at)) != std::string_view::npos; ++at) {
      const char next = at + 1 < source_.size() ? source_[at + 1] : '\0';
      if (next == '{' || next == '%' || next == '#') return at;
    }
    return std::string_view::npos;
  }

  // What a sign after an opening or an option does to the text before it.
  std::string_view trim_before(std::string_view text, char sign, bool is_variable) const {
    if (sign == '-') return strip(text, Side::right);
    if (sign == '+' || !options_.lstrip_blocks || is_variable) return text;
    const std::size_t line = text.rfind('\n') + 1;
    if ((line > 0 || line_starting_) && line < text.size() && strip(text.substr(line)).empty()) {
      return text.substr(0, line);
    }
    return text;
  }

  void push_data(std::size_t start, std::string_view text) {
    if (!text.empty()) push(TokenType::data, start, std::string(text));
  }

  void read_root() {
    const std::size_t opening = find_opening();
    if (opening == std::string_view::npos) {
      push_data(at_, source_.substr(at_));
      at_ = source_.size();
      return;
    }
    const char kind = source_[opening + 1];
    const char sign = opening + 2 < source_.size() ? source_[opening + 2] : '\0';
    const bool has_sign = sign == '-' || sign == '+';
    const std::size_t start = at_;
    const std::string_view text = source_.substr(start, opening - start);
    push_data(start, trim_before(text, has_sign ? sign : '\0', kind == '{'));
    at_ = opening + (has_sign ? 3 : 2);
    line_starting_ = false;
    if (kind == '#') {
      read_comment(opening);
    } else if (kind == '%' && read_raw(opening)) {
      return;
    } else {
      push(kind == '{' ? TokenType::variable_begin : TokenType::block_begin, opening, {});
      read_tag(kind == '{', opening);
    }
  }

  // The end of a block tag or a comment, `close` being "%}" or "#}"; 0 where there is none at `at`.
  std::size_t block_end(std::size_t at, std::string_view close) const {
    if (source_[at] == '+' && starts(close, at + 1)) return at + 1 + close.size();
    if (source_[at] == '-' && starts(close, at + 1)) return skip_space(at + 1 + close.size());
    if (!starts(close, at)) return 0;
    const std::size_t end = at + close.size();
    return options_.trim_blocks && end < source_.size() && source_[end] == '\n' ? end + 1 : end;
  }

  void move_to(std::size_t end) {
    at_ = end;
    line_starting_ = source_[end - 1] == '\n';
  }

  void read_comment(std::size_t opening) {
    for (std::size_t at = at_; at < source_.size(); ++at) {
      if (const std::size_t end = block_end(at, "#}")) return move_to(end);
    }
    fail("a comment is not closed", opening);
  }

  bool read_raw(std::size_t opening) {
    std::size_t at = skip_space(at_);
    if (!starts("raw", at)) return false;
    at = skip_space(at + 3);
    if (starts("-%}", at)) {
      at_ = skip_space(at + 3);
    } else if (starts("%}", at)) {
      at_ = at + 2;
    } else {
      return false;
    }
    line_starting_ = source_[at_ - 1] == '\n';
    read_raw_body(opening);
    return true;
  }

  void read_raw_body(std::size_t opening) {
    const std::size_t start = at_;
    for (std::size_t at = start; (at = source_.find("{%", at)) != std::string_view::npos; ++at) {
      std::size_t inner = at + 2;
      const char sign = inner < source_.size() ? source_[inner] : '\0';
      const bool has_sign = sign == '-' || sign == '+';
      inner = skip_space(inner + (has_sign ? 1 : 0));
      if (!starts("endraw", inner)) continue;
      inner = skip_space(inner + 6);
      const std::size_t end = inner < source_.size() ? block_end(inner, "%}") : 0;
      if (end == 0) continue;
      push_data(start, trim_before(source_.substr(start, at - start), has_sign ? sign : '\0', false));
      return move_to(end);
    }
    fail("a raw block is not closed", opening);
  }

  bool read_tag_end(bool is_variable) {
    if (!brackets_.empty()) return false;
    std::size_t end = 0;
    if (!is_variable) {
      end = block_end(at_, "%}");
    } else if (starts("-}}", at_)) {
      end = skip_space(at_ + 3);
    } else if (starts("}}", at_)) {
      end = at_ + 2;
    }
    if (end == 0) return false;
    push(is_variable ? TokenType::variable_end : TokenType::block_end, at_, {});
    move_to(end);
    return true;
  }

  void read_tag(bool is_variable, std::size_t opening) {
    while (at_ < source_.size()) {
      if (read_tag_end(is_variable)) return;
      if (const std::size_t next = skip_space(at_); next != at_) {
        at_ = next;
        continue;
      }
      const char c = source_[at_];
      if (ascii::is_digit(c)) {
        read_number();
      } else if (c == '\'' || c == '"') {
        read_string(c);
      } else if (c == '_' || ascii::is_letter(c) || static_cast<unsigned char>(c) >= 0x80) {
        read_name();
      } else {
        read_symbol();
      }
    }
    fail(is_variable ? "'{{' is not closed" : "'{%' is not closed", opening);
  }

  void read_name() {
    const std::size_t start = at_;
    while (at_ < source_.size()) {
      std::size_t next = at_;
      const char32_t c = decode_next(source_, next);
      const auto letter = static_cast<char>(c);
      if (c < 0x80 ? letter != '_' && !ascii::is_letter(letter) && !ascii::is_digit(letter) : is_space(c)) break;
      at_ = next;
    }
    const std::string_view name = source_.substr(start, at_ - start);
    if (!is_identifier(name)) fail("an invalid or unsupported character in a name", start);
    push(TokenType::name, start, std::string(name));
  }

  // Decoded as jinja2 does, by Python's `unicode-escape`.
  void read_string(char quote) {
    const std::size_t start = at_++;
    std::string text;
    while (at_ < source_.size() && source_[at_] != quote) {
      if (source_[at_] == '\\') {
        read_escape(text, start);
      } else {
        text += source_[at_++];
      }
    }
    if (at_ >= source_.size()) fail("a string is not closed", start);
    ++at_;
    push(TokenType::string, start, std::move(text));
  }

  void read_escape(std::string& text, std::size_t start) {
    const char c = peek(1);
    at_ += 2;
    static constexpr std::string_view plain = "\\'\"abfnrtv";
    static constexpr std::string_view meaning = "\\'\"\a\b\f\n\r\t\v";
    if (c == '\n') return;
    if (const auto known = plain.find(c); known != std::string_view::npos) {
      text += meaning[known];
    } else if (c == 'x' || c == 'u' || c == 'U') {
      read_hex(c == 'x' ? 2 : c == 'u' ? 4 : 8, text, start);
    } else if (c == 'N' || ascii::is_digit(c) || static_cast<unsigned char>(c) >= 0x80) {
      fail("such an escape in a string is not supported", start);
    } else {
      text.append(1, '\\').append(1, c);
    }
  }

  void read_hex(std::size_t count, std::string& text, std::size_t start) {
    std::uint32_t value = 0;
    const std::string_view digits = source_.substr(std::min(at_, source_.size()), count);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
    if (digits.size() != count || end != digits.data() + count) fail("a truncated escape in a string", start);
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) fail("an invalid character in a string", start);
    utf8::append(text, static_cast<char32_t>(value));
    at_ += count;
  }

  std::size_t digits_end(std::size_t at) const {
    while (at < source_.size() && ascii::is_digit(source_[at])) ++at;
    return at;
  }

  // The end of a fraction and an exponent, each of which needs a digit; `at` where there are none.
  std::size_t real_end(std::size_t at) const {
    if (at < source_.size() && source_[at] == '.' && digits_end(at + 1) > at + 1) at = digits_end(at + 1);
    if (at >= source_.size() || (source_[at] != 'e' && source_[at] != 'E')) return at;
    std::size_t digits = at + 1;
    if (digits < source_.size() && (source_[digits] == '+' || source_[digits] == '-')) ++digits;
    return digits_end(digits) > digits ? digits_end(digits) : at;
  }

  // Behind a point only digits: "x.0.1" is an item of an item.
  void read_number() {
    const std::size_t start = at_;
    const std::size_t whole = digits_end(start);
    at_ = start > 0 && source_[start - 1] == '.' ? whole : real_end(whole);
    const std::string_view text = source_.substr(start, at_ - start);
    if (peek() == '_') fail("an underscore in a number is not supported", start);
    if (text == "0" && peek() != '\0' && std::string_view("bBoOxX").find(peek()) != std::string_view::npos)
      fail("a base other than ten is not supported", start);
    if (at_ == whole && text[0] == '0' && text.find_first_not_of('0') != std::string_view::npos) {
      fail("a number begins with 0", start);
    }
    push(at_ > whole ? TokenType::floating : TokenType::integer, start, std::string(text));
  }

  void read_symbol() {
    static constexpr std::array<std::string_view, 6> pairs = {"//", "**", "==", "!=", ">=", "<="};
    for (const auto pair : pairs) {
      if (starts(pair, at_)) {
        push(TokenType::symbol, at_, std::string(pair));
        at_ += 2;
        return;
      }
    }
    const char c = source_[at_];
    if (std::string_view("+-/*%~[](){}><=.:|,;").find(c) == std::string_view::npos) {
      fail("an unexpected character", at_);
    }
    balance(c);
    push(TokenType::symbol, at_, std::string(1, c));
    ++at_;
  }

  void balance(char c) {
    if (c == '(' || c == '[' || c == '{') {
      brackets_ += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (brackets_.empty() || brackets_.back() != c) fail(std::string("unexpected '") + c + "'", at_);
      brackets_.pop_back();
    }
  }

  std::string_view source_;
  const LexerOptions& options_;
  std::size_t at_ = 0;
  std::string brackets_{};
  bool line_starting_ = true;
  std::vector<Token> tokens_{};
};

}  // namespace

std::string normalize_newlines(std::string_view source, const LexerOptions& options) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (!options.keep_trailing_newline && !out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::vector<Token> tokenize(std::string_view source, const LexerOptions& options) {
  return Lexer(source, options).run();
}

}  // namespace ctxmgr::jinja
