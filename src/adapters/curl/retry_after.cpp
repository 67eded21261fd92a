#include "adapters/curl/retry_after.hpp"

#include <curl/curl.h>

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "core/ascii.hpp"

namespace ctxmgr::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds a_year = std::chrono::hours(24 * 365);

/// A number of `unit` milliseconds. Infinity where it is beyond a double, as in "1e309".
std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  // Below all doubles ("1e-400", "-1e309") or above them.
  if (error == std::errc::result_out_of_range) return text.find('-') != text.npos ? 0 : INFINITY;
  // "inf" and "nan" are numbers for from_chars, and junk in a header.
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<milliseconds> positive(double value_ms) {
  if (!(value_ms > 0)) return std::nullopt;
  if (value_ms >= static_cast<double>(a_year.count())) return a_year;
  return milliseconds(static_cast<milliseconds::rep>(std::ceil(value_ms)));
}

}  // namespace

std::optional<milliseconds> parse_retry_after(std::string_view retry_after_ms, std::string_view retry_after,
                                              Timestamp now) {
  if (const auto number = parse_number(ascii::trimmed(retry_after_ms))) {
    if (const auto delay = positive(*number)) return delay;
  }
  retry_after = ascii::trimmed(retry_after);
  if (const auto number = parse_number(retry_after)) return positive(*number * 1000);
  const auto date = curl_getdate(std::string(retry_after).c_str(), nullptr);  // All three forms of RFC 9110.
  if (date == -1) return std::nullopt;
  return positive((static_cast<double>(date) - std::chrono::duration<double>(now.time_since_epoch()).count()) * 1000);
}

}  // namespace ctxmgr::http
