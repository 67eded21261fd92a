#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// \file
/// Halves of surrogate pairs in JSON text, escaped ("\ud83d") or as three bytes: what is left of a character that was cut in two.
/// Most writers write them, no service takes them.
namespace ctxmgr {

/// JSON text in which U+FFFD stands for each half. All other bytes stay where they were.
struct MendedHalves {
  std::string text{};
  std::size_t count = 0;  ///< How many halves there were.
};

/// Nothing where the text has none. An escape behind a backslash that is escaped itself is no escape. Linear.
[[nodiscard]] std::optional<MendedHalves> mend_half_surrogates(std::string_view json);

/// What a receipt says of them; empty where there are none.
[[nodiscard]] std::string note_of_half_surrogates(std::string_view json);

}  // namespace ctxmgr
