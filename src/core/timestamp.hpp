#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ctxmgr/core/timestamp.hpp"

namespace ctxmgr {

/// RFC 3339 in UTC with milliseconds: "2026-11-20T10:00:00.123Z".
[[nodiscard]] std::string to_rfc3339(Timestamp time);

/// Reads RFC 3339, with or without fraction; without an offset it is UTC. Nothing where it is malformed or outside
/// the years 1678 to 2261, which is what the clock can hold.
[[nodiscard]] std::optional<Timestamp> parse_rfc3339(std::string_view text);

}  // namespace ctxmgr
