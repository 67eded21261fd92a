#include "prompts/jinja/string_literal.hpp"

#include <charconv>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

// Any character beyond ASCII is an escape already when the backslashes are read, so that "\é" is a backslash and "xe9".
std::string python_escape(char32_t c) {
  char buffer[16];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::uint32_t>(c), 16).ptr;
  const std::string digits(buffer, end);
  const std::size_t width = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
  return (c < 0x100 ? "x" : c < 0x10000 ? "u" : "U") + std::string(width - digits.size(), '0') + digits;
}

class LiteralDecoder {
 public:
  LiteralDecoder(std::string_view body, std::uint32_t offset) : body_(body), offset_(offset) {}

  std::string run() {
    while (at_ < body_.size()) {
      if (body_[at_] != '\\') {
        out_ += body_[at_++];
      } else {
        ++at_;
        read_escape();
      }
    }
    return std::move(out_);
  }

 private:
  void read_escape() {
    const std::size_t start = at_;
    const char32_t c = decode_next(body_, at_);
    static constexpr std::string_view plain = "\\'\"abfnrtv";
    static constexpr std::string_view meaning = "\\'\"\a\b\f\n\r\t\v";
    if (c == '\n') return;
    if (c >= 0x80) {
      out_ += "\\" + python_escape(c);
    } else if (const auto known = plain.find(static_cast<char>(c)); known != std::string_view::npos) {
      out_ += meaning[known];
    } else if (c >= '0' && c <= '7') {
      at_ = start;
      read_octal();
    } else if (c == 'x' || c == 'u' || c == 'U') {
      read_hex(c == 'x' ? 2 : c == 'u' ? 4 : 8);
    } else if (c == 'N') {
      refuse("characters by name are not supported", offset_);
    } else {
      out_ += '\\';
      out_ += static_cast<char>(c);
    }
  }

  void read_octal() {
    char32_t value = 0;
    for (int i = 0; i < 3 && at_ < body_.size() && body_[at_] >= '0' && body_[at_] <= '7'; ++i) {
      value = value * 8 + static_cast<char32_t>(body_[at_++] - '0');
    }
    encode(value, out_);
  }

  void read_hex(std::size_t digits) {
    std::uint32_t value = 0;
    const std::string_view text = body_.substr(at_, digits);
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value, 16).ptr;
    if (text.size() != digits || end != text.data() + text.size()) refuse("a truncated escape in a string", offset_);
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) refuse("an invalid character in a string", offset_);
    encode(static_cast<char32_t>(value), out_);
    at_ += digits;
  }

  std::string_view body_;
  std::uint32_t offset_;
  std::size_t at_ = 0;
  std::string out_{};
};

}  // namespace

std::string decode_string_literal(std::string_view body, std::uint32_t offset) {
  return LiteralDecoder(body, offset).run();
}

}  // namespace ctxmgr::jinja
