#include "core/worded.hpp"

#include <array>
#include <charconv>

#include "core/ascii.hpp"

namespace ctxmgr {
namespace {

std::string written(double value, std::chars_format format, int digits) {
  std::array<char, 512> text{};  // The longest double has 309 digits before the point.
  const auto made = std::to_chars(text.data(), text.data() + text.size(), value, format, digits);
  return {text.data(), made.ptr};
}

}  // namespace

std::string worded_with(std::string_view pattern, std::initializer_list<WordedValue> values) {
  std::string filled;
  std::size_t next = 0;
  const auto take = [&](std::size_t number) {
    if (number < values.size()) filled.append((values.begin() + number)->text());
  };
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const auto rest = pattern.substr(at);
    if (rest.substr(0, 2) == "{{" || rest.substr(0, 2) == "}}") {
      filled += rest[0];
      at += 1;
    } else if (rest.substr(0, 2) == "{}") {
      take(next++);
      at += 1;
    } else if (rest.size() > 2 && rest[0] == '{' && ascii::is_digit(rest[1]) && rest[2] == '}') {
      take(static_cast<std::size_t>(rest[1] - '0'));
      at += 2;
    } else {
      filled += rest[0];
    }
  }
  return filled;
}

std::string decimals(double value, int digits) { return written(value, std::chars_format::fixed, digits); }

std::string significant(double value, int digits) { return written(value, std::chars_format::general, digits); }

std::string padded(std::int64_t number, std::size_t width, char pad) {
  auto text = std::to_string(number);
  if (text.size() < width) text.insert(0, width - text.size(), pad);
  return text;
}

}  // namespace ctxmgr
