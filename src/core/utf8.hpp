#pragma once
#include <cstddef>
#include <string>
#include <string_view>

/// UTF-8 as Unicode 15, table 3-7, defines it: no overlong forms, no surrogates, nothing above U+10FFFF. Every function
/// accepts any bytes; each maximal ill-formed run (Unicode 15, section 3.9) counts as one U+FFFD.
namespace ctxmgr::utf8 {

struct CodePoint {
  char32_t value = 0;     ///< U+FFFD where the bytes are ill-formed.
  std::size_t bytes = 0;  ///< How many bytes it takes in the text, at least 1.
};

/// The code point at a position, which has to be inside the text.
[[nodiscard]] CodePoint decode(std::string_view text, std::size_t pos);

[[nodiscard]] bool is_valid(std::string_view text);

/// Where the first ill-formed run begins; the text's size where there is none.
[[nodiscard]] std::size_t find_invalid(std::string_view text, std::size_t from = 0);

/// The text with ill-formed runs replaced. Valid text comes back as it is.
[[nodiscard]] std::string repair(std::string_view text);

/// Code points of the repaired text.
[[nodiscard]] std::size_t count_code_points(std::string_view text);

/// The last position not after `pos` that does not split a code point. The size of the text where `pos` is past it.
[[nodiscard]] std::size_t floor_boundary(std::string_view text, std::size_t pos);

/// Adds a code point's bytes. The value has to be a Unicode scalar value.
void append(std::string& text, char32_t value);

}  // namespace ctxmgr::utf8
