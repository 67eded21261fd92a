#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::engine {

enum class SummaryLanguage {
  of_source,
  another,  ///< Capitals are read as its own language writes them.
};

/// The first number, name or identifier of a summary that its source does not have; empty: there is none. Numbers are
/// compared digit by digit: "1.312,50" is 1,312.5, "12 March 2024" is 2024-03-12, "twelve" is 12, and 3.5M is not 3 500 000.
/// A number with a unit is not the same number with another unit. Not looked at: words without capitals, the first word of a
/// sentence, headings. Pure.
[[nodiscard]] std::string invented(std::string_view summary, std::string_view source,
                                   SummaryLanguage language = SummaryLanguage::of_source);

}  // namespace ctxmgr::engine
