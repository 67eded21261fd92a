#pragma once
#include <cstdint>
#include <string_view>

namespace ctxmgr::engine {

/// A line without what differs from one line of its template to the next: words with digits in them count as one.
[[nodiscard]] std::uint64_t template_of(std::string_view line);

}  // namespace ctxmgr::engine
