#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Text as Python sees it: code points, its notion of white space, its case mappings.
namespace ctxmgr::jinja {

[[nodiscard]] std::size_t count_code_points(std::string_view text);
/// Decodes the code point at `offset` of valid UTF-8 and moves past it.
[[nodiscard]] char32_t decode_next(std::string_view text, std::size_t& offset);
void encode(char32_t code_point, std::string& out);
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
[[nodiscard]] bool is_decimal(char32_t code_point);
[[nodiscard]] bool is_printable(char32_t code_point);
/// A letter, a digit or an underscore of ASCII.
[[nodiscard]] bool is_word(char32_t code_point);

[[nodiscard]] std::string_view strip_left(std::string_view text);
[[nodiscard]] std::string_view strip_right(std::string_view text);
[[nodiscard]] inline std::string_view strip(std::string_view text) { return strip_left(strip_right(text)); }

/// Case mappings. The few characters that map to several in ways not implemented are refused.
[[nodiscard]] std::string to_upper(std::string_view text);
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string capitalize(std::string_view text);
[[nodiscard]] std::string to_title(std::string_view text);

/// Whether a name can be a variable: what Python takes for an identifier, if it is also its own NFKC form.
[[nodiscard]] bool is_identifier(std::string_view name);

}  // namespace ctxmgr::jinja
