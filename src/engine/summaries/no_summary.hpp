#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// Why a text cannot be a summary of its source, whatever it says: it greets, asks back, gives or invents orders, or shares next to
/// no words with it. Small models answer so where they should sum up, and the summary would take the place
/// of the messages. Empty where it may be one. `in_its_language`: it was to be written in the language of its source. Pure.
[[nodiscard]] std::string why_no_summary(std::string_view summary, std::string_view source, bool in_its_language);

}  // namespace ctxmgr::engine
