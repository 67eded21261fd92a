#pragma once
#include <string_view>
#include <vector>

namespace ctxmgr::engine {

/// A day, a month or a year; 0 is what the text does not say.
struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
};

/// Every reading of every date in a text, in whatever of the known languages it is written. Pure.
[[nodiscard]] std::vector<Date> dates_in(std::string_view text);

/// 1 to 12 by a month's name or its usual abbreviation, folded, with or without an inflection; 0: it is none.
[[nodiscard]] int month_of(std::string_view folded);

}  // namespace ctxmgr::engine
