#include "engine/structure/plain_line.hpp"

#include "core/utf8.hpp"

namespace ctxmgr::engine {
namespace {

/// Invisible, direction-changing and tag characters, which hide text from people.
bool is_deceptive(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace

std::string plain_line(std::string_view text, std::size_t max_chars) {
  std::string line;
  std::size_t chars = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = utf8::decode(text, at);
    if (chars == max_chars) return line + "…";
    if (c.value < 0x20 || c.value == 0x7F || (c.value >= 0x80 && c.value < 0xA0) || c.value == 0x2028 ||
        c.value == 0x2029) {
      if (!line.empty() && line.back() != ' ') line += ' ', ++chars;
    } else if (c.value == '<' || c.value == '>') {
      line += c.value == '<' ? "‹" : "›", ++chars;  // No fence, role token or tag can be written without them.
    } else if (!is_deceptive(c.value)) {
      line += text.substr(at, c.bytes), ++chars;
    }
    at += c.bytes;
  }
  return line;
}

}  // namespace ctxmgr::engine
