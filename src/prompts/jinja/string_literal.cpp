#include "prompts/jinja/string_literal.hpp"

#include <charconv>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {
namespace {

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
    const char c = body_[at_++];
    static constexpr std::string_view plain = "\\'\"abfnrtv";
    static constexpr std::string_view meaning = "\\'\"\a\b\f\n\r\t\v";
    if (c == '\n') return;
    if (const auto known = plain.find(c); known != std::string_view::npos) {
      out_ += meaning[known];
    } else if (c == 'x' || c == 'u' || c == 'U') {
      read_hex(c == 'x' ? 2 : c == 'u' ? 4 : 8);
    } else if (c == 'N' || ascii::is_digit(c) || static_cast<unsigned char>(c) >= 0x80) {
      refuse("such an escape in a string is not supported", offset_);
    } else {
      out_.append(1, '\\').append(1, c);
    }
  }

  void read_hex(std::size_t digits) {
    std::uint32_t value = 0;
    const std::string_view text = body_.substr(at_, digits);
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value, 16).ptr;
    if (text.size() != digits || end != text.data() + text.size()) refuse("a truncated escape in a string", offset_);
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) refuse("an invalid character in a string", offset_);
    utf8::append(out_, static_cast<char32_t>(value));
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
