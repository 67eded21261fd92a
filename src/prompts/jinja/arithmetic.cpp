#include <algorithm>
#include <cmath>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/operators.hpp"

namespace ctxmgr::jinja {
namespace {

[[noreturn]] void refuse_big() { exceed("an integer of more than 64 bits is not supported"); }

std::string markup_operand(const Value& value) {
  return value.string().markup ? value.text() : escape_html(value.text());
}

Value add_strings(Heap& heap, const Value& left, const Value& right) {
  heap.check_room(left.text().size() + right.text().size());
  if (left.string().markup || right.string().markup) {
    return make_string(heap, markup_operand(left) + markup_operand(right), true);
  }
  std::string text;
  text.reserve(left.text().size() + right.text().size());
  text.append(left.text()).append(right.text());
  return make_string(heap, std::move(text));
}

Value add_sequences(Heap& heap, const Value& left, const Value& right) {
  std::vector<Value> items;
  const auto& first = left.sequence().items;
  const auto& second = right.sequence().items;
  heap.check_room((first.size() + second.size()) * sizeof(Value));
  items.reserve(first.size() + second.size());
  items.insert(items.end(), first.begin(), first.end());
  items.insert(items.end(), second.begin(), second.end());
  return make_sequence(heap, left.tag(), std::move(items));
}

Value repeat(Heap& heap, const Value& value, std::int64_t count) {
  const auto times = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  if (value.is(Tag::string)) {
    const std::string& unit = value.text();
    if (!unit.empty() && times > SIZE_MAX / unit.size()) exceed("a repetition is too long");
    heap.check_room(unit.size() * times);
    heap.step_text(unit.size() * times);
    std::string text;
    if (!unit.empty()) {
      text.reserve(unit.size() * times);
      for (std::size_t i = 0; i < times; ++i) text += unit;
    }
    return make_string(heap, std::move(text), value.string().markup);
  }
  const auto& unit = value.sequence().items;
  if (!unit.empty() && times > SIZE_MAX / sizeof(Value) / unit.size()) exceed("a repetition is too long");
  heap.check_room(unit.size() * times * sizeof(Value));
  heap.step(unit.empty() ? 1 : unit.size() * times);
  std::vector<Value> items;
  for (std::size_t i = 0; i < times && !unit.empty(); ++i) items.insert(items.end(), unit.begin(), unit.end());
  return make_sequence(heap, value.tag(), std::move(items));
}

// Python's float floor division and modulo, by way of fmod.
void divide_floor(double left, double right, double& quotient, double& remainder) {
  remainder = std::fmod(left, right);
  quotient = (left - remainder) / right;
  if (remainder != 0.0) {
    if ((right < 0) != (remainder < 0)) {
      remainder += right;
      quotient -= 1.0;
    }
  } else {
    remainder = std::copysign(0.0, right);
  }
  if (quotient != 0.0) {
    const double floored = std::floor(quotient);
    quotient = quotient - floored > 0.5 ? floored + 1.0 : floored;
  } else {
    quotient = std::copysign(0.0, left / right);
  }
}

void check_numbers(std::string_view what, const Value& left, const Value& right) {
  if (!left.is_number() || !right.is_number()) refuse_operands(what, left, right);
}

void check_divisor(const Value& right) {
  if (right.as_double() == 0.0) refuse("division by zero");
}

// The results of unsigned arithmetic, which has no overflow, with a look at the signs: no compiler needs functions of its own.

std::int64_t sum_of(std::int64_t left, std::int64_t right) {
  const auto sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
  if (((left ^ sum) & (right ^ sum)) < 0) refuse_big();
  return sum;
}

std::int64_t difference_of(std::int64_t left, std::int64_t right) {
  const auto rest = static_cast<std::int64_t>(static_cast<std::uint64_t>(left) - static_cast<std::uint64_t>(right));
  if (((left ^ right) & (left ^ rest)) < 0) refuse_big();
  return rest;
}

std::int64_t product_of(std::int64_t left, std::int64_t right) {
  if ((left == INT64_MIN && right == -1) || (right == INT64_MIN && left == -1)) refuse_big();
  const auto product = static_cast<std::int64_t>(static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(right));
  if (right != 0 && product / right != left) refuse_big();
  return product;
}

Value add(Heap& heap, const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) {
    return Value::integer(sum_of(left.as_integer(), right.as_integer()));
  }
  if (left.is(Tag::string) && right.is(Tag::string)) return add_strings(heap, left, right);
  if (left.is_sequence() && left.tag() == right.tag()) return add_sequences(heap, left, right);
  check_numbers("add", left, right);
  return Value::floating(left.as_double() + right.as_double());
}

Value subtract(const Value& left, const Value& right) {
  check_numbers("subtract", left, right);
  if (left.is_integral() && right.is_integral()) {
    return Value::integer(difference_of(left.as_integer(), right.as_integer()));
  }
  return Value::floating(left.as_double() - right.as_double());
}

Value multiply(Heap& heap, const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) {
    return Value::integer(product_of(left.as_integer(), right.as_integer()));
  }
  const auto repeatable = [](const Value& value) { return value.is(Tag::string) || value.is_sequence(); };
  if (repeatable(left) && right.is_integral()) return repeat(heap, left, right.as_integer());
  if (repeatable(right) && left.is_integral()) return repeat(heap, right, left.as_integer());
  check_numbers("multiply", left, right);
  return Value::floating(left.as_double() * right.as_double());
}

Value divide(const Value& left, const Value& right) {
  check_numbers("divide", left, right);
  check_divisor(right);
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const auto inexact = [](const Value& value) {
    return value.is_integral() && (value.as_integer() > exact || value.as_integer() < -exact);
  };
  if (left.is_integral() && right.is_integral() && (inexact(left) || inexact(right))) refuse_big();
  return Value::floating(left.as_double() / right.as_double());
}

Value floor_divide(const Value& left, const Value& right) {
  check_numbers("divide", left, right);
  check_divisor(right);
  if (left.is_integral() && right.is_integral()) {
    const std::int64_t a = left.as_integer();
    const std::int64_t b = right.as_integer();
    if (a == INT64_MIN && b == -1) refuse_big();
    return Value::integer(a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
  }
  double quotient = 0;
  double remainder = 0;
  divide_floor(left.as_double(), right.as_double(), quotient, remainder);
  return Value::floating(quotient);
}

Value modulo(const Value& left, const Value& right) {
  if (left.is(Tag::string)) refuse("formatting with % is not supported");
  check_numbers("take the remainder of", left, right);
  check_divisor(right);
  if (left.is_integral() && right.is_integral()) {
    const std::int64_t a = left.as_integer();
    const std::int64_t b = right.as_integer();
    if (b == -1) return Value::integer(0);
    const std::int64_t rest = a % b;
    return Value::integer(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  }
  double quotient = 0;
  double remainder = 0;
  divide_floor(left.as_double(), right.as_double(), quotient, remainder);
  return Value::floating(remainder);
}

}  // namespace

Value calculate(Heap& heap, Operator operation, const Value& left, const Value& right) {
  switch (operation) {
    case Operator::add: return add(heap, left, right);
    case Operator::subtract: return subtract(left, right);
    case Operator::multiply: return multiply(heap, left, right);
    case Operator::divide: return divide(left, right);
    case Operator::floor_divide: return floor_divide(left, right);
    default: return modulo(left, right);
  }
}

Value negate(const Value& value) {
  if (value.is_integral()) {
    if (value.as_integer() == INT64_MIN) refuse_big();
    return Value::integer(-value.as_integer());
  }
  if (value.is(Tag::floating)) return Value::floating(-value.as_double());
  if (value.is(Tag::undefined)) refuse_undefined(value);
  refuse(std::string("cannot negate ") + std::string(type_name(value)));
}

Value posit(const Value& value) {
  if (value.is_integral()) return Value::integer(value.as_integer());
  if (value.is(Tag::floating)) return value;
  if (value.is(Tag::undefined)) refuse_undefined(value);
  refuse(std::string("cannot apply + to ") + std::string(type_name(value)));
}

}  // namespace ctxmgr::jinja
