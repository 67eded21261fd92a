#pragma once
#include <optional>
#include <string_view>

namespace ctxmgr::engine {

/// What a figure measures, with the factor to the unit that its kind is compared in. Of one kind only figures that are
/// equal after the factor are the same.
struct MeasureUnit {
  enum class Kind {
    none,
    time,
    mass,
    length,
    area,
    volume,
    bytes,
    power,
    energy,
    temperature,
    percent,
    dollar,
    euro,
    pound,
    yen,
    franc
  };
  Kind kind = Kind::none;
  double factor = 1;
};

/// A number word of the twelve and more languages that summaries are written in. The words are folded.
struct NumberWord {
  double value = 0;
  bool also_plain = false;  ///< Common in another language with another meaning ("once", "elf", "on").
};
[[nodiscard]] std::optional<NumberWord> number_word(std::string_view folded);

/// 1 to 12 by a month's name or its usual abbreviation, folded, with or without an inflection; 0: it is none.
[[nodiscard]] int month_of(std::string_view folded);

/// Whether a month's name is a common word as well ("may", "march").
[[nodiscard]] bool is_plain_month(std::string_view folded);

/// What a word or sign behind a number (a currency also before it) means; nothing where it is no unit.
[[nodiscard]] std::optional<MeasureUnit> unit_of(std::string_view text);

/// "million", "k", "万": what the number before it is multiplied with; 0: it is none.
[[nodiscard]] double scale_of(std::string_view text);

}  // namespace ctxmgr::engine
