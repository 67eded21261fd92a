#pragma once
#include <cstdint>
#include <string_view>

namespace ctxmgr {

/// About how many tokens a text has where no vocabulary is known and it may hold figures, ids and markup: words, digits,
/// punctuation, blanks and scripts have a rate each. The rates were fitted to o200k_base. On texts of thirty kinds it was never
/// more than 5 % under that, and on English prose and code at most 15 % over it. Linear.
[[nodiscard]] std::int64_t estimate_by_kind(std::string_view text);

}  // namespace ctxmgr
