#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/timestamp.hpp"
#include "engine/index/term_analysis.hpp"

namespace ctxmgr::engine {

/// Terms by which what was said at a time is found: the day, the day without its year, the month of a year, the month.
/// No text has them.
[[nodiscard]] std::vector<Term> terms_of_time(Timestamp time);

/// Those that a question asks for: one for each date that it names, as exact as it names it ("on 1 May", "2024-05-01",
/// "im Mai 2024"), in any of the languages of `read_figures()`. A date with two readings has one for each.
[[nodiscard]] std::vector<Term> date_terms_in(std::string_view question);

/// "2024-05-01", UTC.
[[nodiscard]] std::string day_of(Timestamp time);

}  // namespace ctxmgr::engine
