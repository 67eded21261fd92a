#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace ctxmgr::engine {

enum class NameKind : std::uint8_t {
  path,        ///< "src/core/utf8.cpp", "README.md".
  address,     ///< "https://example.org/a", "ada@example.org".
  identifier,  ///< "parse_line", "readAll".
  code,        ///< An id: "W6750959", "5f3a9c1", "INV-2024-0042"; a version; a number of at least four digits.
  figure,      ///< A shorter number, which says something only beside its label.
  filler,      ///< A size or date of a listing, a line's number after that of the line before.
};

/// A word of a text that a later message may have to repeat exactly. Views into the text.
struct Name {
  std::string_view text{};
  std::string_view label{};  ///< Of a code or figure: "total" in "total: 42"; empty where it has none.
  NameKind kind = NameKind::identifier;
};

/// Appends the names in a text, in order, repetitions included. Linear; any bytes will do.
void find_names(std::string_view text, std::vector<Name>& names);

/// Whether it stands in the text with no letter, digit or _ of ASCII beside it.
[[nodiscard]] bool stands_in(std::string_view name, std::string_view text);

}  // namespace ctxmgr::engine
