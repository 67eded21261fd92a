#pragma once
#include <memory>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

/// No text counts more: keeps sums in range.
inline constexpr std::int64_t most_tokens_of_a_text = std::int64_t{1} << 40;

/// A host's counter whose counts may be relied on: what it counts wrongly (a negative number, more than any text has) is
/// estimated, and from then on its `info()` says that it is faulty and not exact. Never null, unless `counter` is.
[[nodiscard]] std::shared_ptr<TokenCounter> make_checked_token_counter(std::shared_ptr<const TokenCounter> counter);

}  // namespace ctxmgr
