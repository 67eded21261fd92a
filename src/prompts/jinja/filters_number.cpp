#include <charconv>
#include <cmath>
#include <optional>

#include "core/ascii.hpp"
#include "core/real_number.hpp"
#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/filter_support.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

Value abs_filter(Renderer&, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  if (value.is_integral()) return value.as_integer() < 0 ? negate(value) : posit(value);
  if (!value.is(Tag::floating)) refuse(std::string(type_name(value)) + " has no absolute value");
  return Value::floating(std::fabs(value.as_double()));
}

// Digits with single underscores between them, as Python reads numbers; nothing where there is anything else.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) refuse("digits beyond ASCII are not supported");
    const auto word = [&](std::size_t at) {
      return at < text.size() && (ascii::is_letter(text[at]) || ascii::is_digit(text[at]));
    };
    if (c == '_' && (i == 0 || !word(i - 1) || !word(i + 1))) return std::nullopt;
    if (c != '_') out += c;
  }
  return out;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const auto digits = without_underscores(strip(text));
  if (!digits || digits->empty()) return std::nullopt;
  std::string_view rest = *digits;
  if (rest.front() == '+') rest.remove_prefix(1);
  if (rest.empty() || (rest.front() == '-' && digits->front() == '+')) return std::nullopt;
  std::int64_t value = 0;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (result.ptr != rest.data() + rest.size()) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) exceed("an integer of more than 64 bits is not supported");
  return value;
}

std::optional<double> parse_float(std::string_view text) {
  auto digits = without_underscores(strip(text));
  if (!digits || digits->empty()) return std::nullopt;
  std::string_view rest = *digits;
  const bool negative = rest.front() == '-';
  if (negative || rest.front() == '+') rest.remove_prefix(1);
  const std::string word = to_lower(rest);
  double value = 0;
  if (word == "inf" || word == "infinity") {
    value = HUGE_VAL;
  } else if (word == "nan") {
    value = std::nan("");
  } else {
    if (rest.empty() || !(ascii::is_digit(rest[0]) || rest[0] == '.')) return std::nullopt;
    const auto read = read_real(rest);
    if (!read) return std::nullopt;
    value = *read;
    if (!std::isfinite(value)) refuse("a number is out of range");
  }
  return negative ? -value : value;
}

std::int64_t truncate_to_integer(double value) {
  if (std::isinf(value)) refuse("infinity cannot be an integer");
  if (!(std::fabs(value) < 9.2e18)) exceed("an integer of more than 64 bits is not supported");
  return static_cast<std::int64_t>(std::trunc(value));
}

Value int_filter(Renderer&, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  Value otherwise = given(arguments, 1) != nullptr ? arguments.positional[1] : Value::integer(0);
  if (integer_or(arguments, 2, 10) != 10) refuse("a base other than ten is not supported");
  if (value.is_integral()) return Value::integer(value.as_integer());
  if (value.is(Tag::undefined)) refuse_undefined(value);
  double number = 0;
  if (value.is(Tag::floating)) {
    number = value.as_double();
  } else if (value.is(Tag::string)) {
    if (const auto integer = parse_integer(value.text())) return Value::integer(*integer);
    const auto parsed = parse_float(value.text());
    if (!parsed) return otherwise;
    number = *parsed;
  } else {
    return otherwise;
  }
  return std::isnan(number) ? otherwise : Value::integer(truncate_to_integer(number));
}

Value float_filter(Renderer&, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  if (value.is_number()) return Value::floating(value.as_double());
  if (value.is(Tag::undefined)) refuse_undefined(value);
  const auto parsed = value.is(Tag::string) ? parse_float(value.text()) : std::nullopt;
  if (parsed) return Value::floating(*parsed);
  return given(arguments, 1) != nullptr ? arguments.positional[1] : Value::floating(0.0);
}

Value round_common(const Value& value, std::int64_t precision) {
  if (value.is_integral()) {
    if (precision < 0) refuse("rounding to tens is not supported");
    return Value::integer(value.as_integer());
  }
  const double number = value.as_double();
  if (!std::isfinite(number) || precision > 300) return value;
  if (precision < 0) refuse("rounding to tens is not supported");
  const std::string text = float_fixed(number, static_cast<int>(precision));
  return Value::floating(read_real(text).value_or(0));
}

Value round_filter(Renderer&, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  const std::int64_t precision = integer_or(arguments, 1, 0);
  const std::string method = given(arguments, 2) != nullptr ? need_text(arguments.positional[2]) : "common";
  if (method != "common" && method != "ceil" && method != "floor") refuse("the method must be common, ceil or floor");
  if (value.is(Tag::undefined)) refuse_undefined(value);
  if (!value.is_number()) refuse(std::string(type_name(value)) + " cannot be rounded");
  if (method == "common") return round_common(value, precision);
  if (precision < 0 || precision > 15) refuse("this precision is not supported");
  const double factor = std::pow(10.0, static_cast<double>(precision));
  const double scaled = value.as_double() * factor;
  if (!(std::fabs(scaled) < 9e15)) refuse("the number is too large to be rounded");
  return Value::floating((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / factor + 0.0);
}

Value sum_filter(Renderer& renderer, Arguments& arguments) {
  const AttributePath path(renderer, arguments.positional[1]);
  Value total = given(arguments, 2) != nullptr ? arguments.positional[2] : Value::integer(0);
  if (total.is(Tag::string)) refuse("texts cannot be summed; use join");
  Cursor cursor(arguments.positional[0]);
  Value item;
  while (cursor.next(renderer.heap(), item))
    total = calculate(renderer.heap(), Operator::add, total, path.get(renderer, item));
  return total;
}

constexpr FunctionSpec number_table[] = {
    {"abs", {"/x", 1}, abs_filter, Cost::texts},
    {"int", {"value default base", 1}, int_filter, Cost::texts},
    {"float", {"value default", 1}, float_filter, Cost::texts},
    {"round", {"value precision method", 1}, round_filter, Cost::texts},
    {"sum", {"iterable attribute start", 1}, sum_filter, Cost::texts},
};

}  // namespace

FunctionTable number_filters() { return number_table; }

}  // namespace ctxmgr::jinja
