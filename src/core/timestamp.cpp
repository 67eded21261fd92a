#include "core/timestamp.hpp"

#include <charconv>
#include <chrono>
#include <cstddef>

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;

void append_padded(std::string& out, long long value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

/// Takes pieces off the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return text_.empty(); }

  bool take(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }

  /// Exactly `width` digits, as a number between the bounds.
  std::optional<int> number(std::size_t width, int min, int max) {
    int value = 0;
    if (text_.size() < width || text_.front() < '0' || text_.front() > '9') return std::nullopt;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + width, value);
    if (error != std::errc{} || end != text_.data() + width || value < min || value > max) return std::nullopt;
    text_.remove_prefix(width);
    return value;
  }

  /// Any number of digits, of which the first three count.
  std::optional<milliseconds> fraction() {
    int value = 0;
    int scale = 100;
    const std::size_t before = text_.size();
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1), scale /= 10) {
      value += (text_.front() - '0') * scale;
    }
    if (text_.size() == before) return std::nullopt;
    return milliseconds(value);
  }

 private:
  std::string_view text_;
};

std::optional<std::chrono::minutes> parse_offset(Scanner& in) {
  if (in.at_end() || in.take("Zz")) return std::chrono::minutes(0);
  const bool negative = in.take("-");
  if (!negative && !in.take("+")) return std::nullopt;
  const auto hours = in.number(2, 0, 23);
  in.take(":");
  const auto minutes = in.number(2, 0, 59);
  if (!hours || !minutes) return std::nullopt;
  const std::chrono::minutes offset(*hours * 60 + *minutes);
  return negative ? -offset : offset;
}

}  // namespace

std::string to_rfc3339(Timestamp time) {
  const auto since_epoch = std::chrono::floor<milliseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(since_epoch);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(since_epoch - day);
  std::string out;
  append_padded(out, static_cast<int>(date.year()), 4);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_padded(out, clock.hours().count(), 2);
  out += ':';
  append_padded(out, clock.minutes().count(), 2);
  out += ':';
  append_padded(out, clock.seconds().count(), 2);
  out += '.';
  append_padded(out, clock.subseconds().count(), 3);
  out += 'Z';
  return out;
}

std::optional<Timestamp> parse_rfc3339(std::string_view text) {
  Scanner in(text);
  const auto year = in.number(4, 1678, 2261);
  if (!year || !in.take("-")) return std::nullopt;
  const auto month = in.number(2, 1, 12);
  if (!month || !in.take("-")) return std::nullopt;
  const auto day = in.number(2, 1, 31);
  if (!day || !in.take("Tt ")) return std::nullopt;
  const auto hours = in.number(2, 0, 23);
  if (!hours || !in.take(":")) return std::nullopt;
  const auto minutes = in.number(2, 0, 59);
  if (!minutes || !in.take(":")) return std::nullopt;
  const auto seconds = in.number(2, 0, 60);  // 60: a leap second, which is the first second of the next minute
  if (!seconds) return std::nullopt;
  std::optional<milliseconds> fraction(milliseconds(0));
  if (in.take(".")) fraction = in.fraction();
  const auto offset = parse_offset(in);
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!fraction || !offset || !in.at_end() || !date.ok()) return std::nullopt;
  return Timestamp(std::chrono::sys_days(date) + std::chrono::hours(*hours) + std::chrono::minutes(*minutes) +
                   std::chrono::seconds(*seconds) + *fraction - *offset);
}

}  // namespace ctxmgr
