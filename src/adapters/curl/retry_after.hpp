#pragma once
#include <chrono>
#include <optional>
#include <string_view>

#include "ctxmgr/core/reasoning.hpp"

namespace ctxmgr::http {

/// What a service asked for, from the values of its `retry-after-ms` and `retry-after` headers (empty: not sent):
/// milliseconds, seconds with a fraction, or an HTTP date in any of its forms (RFC 9110, section 5.6.7).
/// Nothing where neither says anything usable: junk, NaN, zero, negative, in the past. What is too large for a number
/// comes back as a year, for whoever asks so much is not to be asked again.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view retry_after_ms,
                                                                         std::string_view retry_after, Timestamp now);

}  // namespace ctxmgr::http
