#include "adapters/curl/retry_after.hpp"

#include <array>
#include <charconv>
#include <cmath>
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

/// Exactly `text.size()` digits.
std::optional<unsigned> parse_digits(std::string_view text) {
  unsigned value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(digit - '0');
  }
  return value;
}

std::optional<unsigned> parse_month(std::string_view text) {
  constexpr std::array<std::string_view, 12> names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (unsigned i = 0; i < names.size(); ++i) {
    if (text == names.at(i)) return i + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Timestamp> parse_http_date(std::string_view text) {
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return std::nullopt;
  if (text[7] != ' ' || text[11] != ' ' || text[16] != ' ' || text[19] != ':' || text[22] != ':') return std::nullopt;
  const auto day = parse_digits(text.substr(5, 2));
  const auto month = parse_month(text.substr(8, 3));
  const auto year = parse_digits(text.substr(12, 4));
  const auto hour = parse_digits(text.substr(17, 2));
  const auto minute = parse_digits(text.substr(20, 2));
  const auto second = parse_digits(text.substr(23, 2));
  if (!day || !month || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok() || *year < 1970 || *year > 2200 || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

std::optional<milliseconds> parse_retry_after(std::string_view retry_after_ms, std::string_view retry_after,
                                              Timestamp now) {
  if (const auto number = parse_number(ascii::trimmed(retry_after_ms))) {
    if (const auto delay = positive(*number)) return delay;
  }
  retry_after = ascii::trimmed(retry_after);
  if (const auto number = parse_number(retry_after)) return positive(*number * 1000);
  const auto date = parse_http_date(retry_after);
  if (!date || *date <= now) return std::nullopt;
  return positive(std::chrono::duration<double, std::milli>(*date - now).count());
}

}  // namespace ctxmgr::http
