#include <algorithm>
#include <charconv>
#include <cmath>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

constexpr int max_precision = 400;
constexpr std::size_t max_width = 100'000;

std::string integer_digits(std::uint64_t magnitude, int base, bool upper) {
  char buffer[72];
  std::string digits(buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr);
  return upper ? to_upper(digits) : digits;
}

std::string with_grouping(const std::string& digits, char separator) {
  if (separator == 0) return digits;
  const std::size_t whole = std::min(digits.find_first_not_of("0123456789"), digits.size());
  std::string out;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) out += separator;
    out += digits[i];
  }
  return out + digits.substr(whole);
}

std::string sign_text(bool negative, char sign) {
  if (negative) return "-";
  return sign == '+' ? "+" : sign == ' ' ? " " : "";
}

// `prefix` is sign and base: zeros go between it and the digits.
std::string pad_number(const std::string& prefix, const std::string& digits, const FieldSpec& spec) {
  if (spec.width > max_width) exceed("a field is too wide");
  const std::size_t length = prefix.size() + count_code_points(digits);
  if (spec.width <= length) return prefix + digits;
  const std::size_t missing = spec.width - length;
  const auto repeat = [&spec](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += spec.fill;
    return text;
  };
  if (spec.zero_pad && spec.align == 0) {
    if (spec.grouping != 0) refuse("zero padding with grouping is not supported");
    return prefix + std::string(missing, '0') + digits;
  }
  switch (spec.align) {
    case '<': return prefix + digits + repeat(missing);
    case '^': return repeat(missing / 2) + prefix + digits + repeat(missing - missing / 2);
    case '=': return prefix + repeat(missing) + digits;
    default: return repeat(missing) + prefix + digits;
  }
}

std::string scientific(double magnitude, int precision, bool upper) {
  std::string buffer(static_cast<std::size_t>(precision) + 40, '\0');
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific, precision)
          .ptr;
  buffer.resize(static_cast<std::size_t>(end - buffer.data()));
  return upper ? to_upper(buffer) : buffer;
}

std::string general(double magnitude, int precision, bool upper) {
  const int significant = precision == 0 ? 1 : precision;
  std::string buffer(static_cast<std::size_t>(significant) + 340, '\0');
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::general, significant)
          .ptr;
  buffer.resize(static_cast<std::size_t>(end - buffer.data()));
  return upper ? to_upper(buffer) : buffer;
}

std::string float_digits(double magnitude, const FieldSpec& spec) {
  const bool upper = spec.type == 'F' || spec.type == 'E' || spec.type == 'G';
  if (std::isnan(magnitude)) return upper ? "NAN" : "nan";
  if (std::isinf(magnitude)) return upper ? "INF" : "inf";
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  if (precision > max_precision) exceed("a precision is too large");
  switch (spec.type) {
    case 'f':
    case 'F': return float_fixed(magnitude, precision);
    case 'e':
    case 'E': return scientific(magnitude, precision, upper);
    case 'g':
    case 'G': return general(magnitude, precision, upper);
    case '%': return float_fixed(magnitude * 100.0, precision) + "%";
    case 0:
      if (spec.precision < 0) return float_repr(magnitude);
      refuse("a precision without a type is not supported");
    default: refuse("an unknown format code");
  }
}

}  // namespace

std::string format_integer(std::int64_t value, const FieldSpec& spec) {
  const auto magnitude = value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  std::string prefix = sign_text(value < 0, spec.sign);
  std::string digits;
  switch (spec.type) {
    case 0:
    case 'd':
    case 'n': digits = integer_digits(magnitude, 10, false); break;
    case 'x':
    case 'X':
      digits = integer_digits(magnitude, 16, spec.type == 'X');
      if (spec.alternate) prefix += spec.type == 'X' ? "0X" : "0x";
      break;
    case 'o':
      digits = integer_digits(magnitude, 8, false);
      if (spec.alternate) prefix += "0o";
      break;
    case 'b':
      digits = integer_digits(magnitude, 2, false);
      if (spec.alternate) prefix += "0b";
      break;
    default: refuse("an unknown format code");
  }
  if (spec.grouping != 0 && spec.type != 0 && spec.type != 'd') refuse("grouping of such digits is not supported");
  return pad_number(prefix, with_grouping(digits, spec.grouping), spec);
}

std::string format_float(double value, const FieldSpec& spec) {
  if (spec.alternate) refuse("this format flag is not supported");
  const bool negative = std::signbit(value) && !std::isnan(value);
  const std::string digits = float_digits(std::fabs(value), spec);
  if (!std::isfinite(value) && spec.zero_pad) refuse("zero padding of such a number is not supported");
  return pad_number(sign_text(negative, spec.sign), with_grouping(digits, spec.grouping), spec);
}

std::string format_text(std::string_view text, const FieldSpec& spec) {
  if (spec.width > max_width) exceed("a field is too wide");
  if (spec.precision >= 0) text = text.substr(0, byte_offset(text, static_cast<std::size_t>(spec.precision)));
  const std::size_t length = count_code_points(text);
  if (spec.width <= length) return std::string(text);
  const std::size_t missing = spec.width - length;
  const std::size_t before = spec.align == '>' ? missing : spec.align == '^' ? missing / 2 : 0;
  std::string out;
  for (std::size_t i = 0; i < before; ++i) out += spec.fill;
  out += text;
  for (std::size_t i = before; i < missing; ++i) out += spec.fill;
  return out;
}

}  // namespace ctxmgr::jinja
