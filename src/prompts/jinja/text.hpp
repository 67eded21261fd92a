#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.hpp"

/// \file
/// Text as Python sees it: code points, its notion of white space, its case mappings.
namespace ctxmgr::jinja {

/// Decodes the code point at `offset` and moves past it.
[[nodiscard]] inline char32_t decode_next(std::string_view text, std::size_t& offset) {
  const utf8::CodePoint point = utf8::decode(text, offset);
  offset += point.bytes;
  return point.value;
}
[[nodiscard]] std::vector<char32_t> decode_all(std::string_view text);
/// Byte offset of a code point; the size where there are fewer.
[[nodiscard]] std::size_t byte_offset(std::string_view text, std::size_t code_point_index);
/// 1 to 4, from the first byte.
[[nodiscard]] inline std::size_t sequence_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// str.isspace
[[nodiscard]] bool is_space(char32_t code_point);
/// str.splitlines' line ends.
[[nodiscard]] bool is_line_end(char32_t code_point);
[[nodiscard]] bool is_printable(char32_t code_point);

enum class Side { left, right, both };

/// Without the code points at its ends that are of a kind.
template <class IsOfKind>
[[nodiscard]] std::string_view strip(std::string_view text, Side side, const IsOfKind& is_of_kind) {
  for (std::size_t end = 0; side != Side::right && !text.empty(); text.remove_prefix(end), end = 0) {
    if (!is_of_kind(decode_next(text, end))) break;
  }
  while (side != Side::left && !text.empty()) {
    const std::size_t start = utf8::floor_boundary(text, text.size() - 1);
    if (!is_of_kind(utf8::decode(text, start).value)) break;
    text = text.substr(0, start);
  }
  return text;
}
/// Without white space at its ends.
[[nodiscard]] inline std::string_view strip(std::string_view text, Side side = Side::both) {
  return strip(text, side, is_space);
}

/// Case mappings. The few characters that map in ways not implemented are refused.
[[nodiscard]] std::string to_upper(std::string_view text);
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string capitalize(std::string_view text);
[[nodiscard]] std::string to_title(std::string_view text);

/// Whether a name can be a variable: what Python takes for an identifier, if it is also its own NFKC form.
[[nodiscard]] bool is_identifier(std::string_view name);

}  // namespace ctxmgr::jinja
