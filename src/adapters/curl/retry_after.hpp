#pragma once
#include <chrono>
#include <optional>
#include <string_view>

#include "ctxmgr/core/reasoning.hpp"

namespace ctxmgr::http {

/// What a service asked for, from the values of its `retry-after-ms` and `retry-after` headers (empty: not sent):
/// milliseconds, seconds with a fraction, or an HTTP date (RFC 9110, section 5.6.7; the preferred form only).
/// Nothing where neither says anything usable: junk, NaN, zero, negative, in the past. What is too large for a number
/// comes back as a year, for whoever asks so much is not to be asked again.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view retry_after_ms,
                                                                         std::string_view retry_after, Timestamp now);

/// "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::optional<Timestamp> parse_http_date(std::string_view text);

}  // namespace ctxmgr::http
