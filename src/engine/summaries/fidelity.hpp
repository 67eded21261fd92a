#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::engine {

enum class SummaryLanguage {
  of_source,
  another,  ///< Capitals are read as its own language writes them.
};

/// The first figure, date, name or identifier of a summary that its source does not have; empty: there is none. Figures
/// are compared by what they say: "12 March 2024" is 2024-03-12, "3.5M" is 3 500 000, "94 s" is 94 seconds and not 94 ms.
/// Not looked at: words without capitals, the first word of a sentence, headings. Pure.
[[nodiscard]] std::string invented(std::string_view summary, std::string_view source,
                                   SummaryLanguage language = SummaryLanguage::of_source);

}  // namespace ctxmgr::engine
