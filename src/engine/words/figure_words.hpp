#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ctxmgr::engine {

/// A number word of the languages that summaries are written in. The words are folded.
struct NumberWord {
  std::string_view digits;  ///< "12" of "twelve".
  bool also_plain = false;  ///< Common in another language with another meaning ("once", "elf", "on").
};
[[nodiscard]] std::optional<NumberWord> number_word(std::string_view folded);

/// The units that a folded word or sign beside a number may mean, a bit for each; 0: it is none. Orders of magnitude are
/// units as well: "million".
using UnitSet = std::uint64_t;
[[nodiscard]] UnitSet units_of(std::string_view folded);

/// Whether they stand before their number as well.
[[nodiscard]] bool are_currencies(UnitSet units);

}  // namespace ctxmgr::engine
