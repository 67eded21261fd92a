#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "prompts/jinja/value.hpp"

/// \file
/// Python's operators on values.
namespace ctxmgr::jinja {

enum class Operator : std::uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,
};

/// Refuses an undefined value where Python's would raise.
[[noreturn]] void refuse_undefined(const Value& value);
/// Refuses an operation on two types; `what` says what was tried.
[[noreturn]] void refuse_operands(std::string_view what, const Value& left, const Value& right);

[[nodiscard]] bool is_true(const Value& value);
[[nodiscard]] bool equals(Heap& heap, const Value& left, const Value& right);
/// left < right; refuses what Python cannot order, and NaN, for which sorting has no defined result.
[[nodiscard]] bool less(Heap& heap, const Value& left, const Value& right);
/// Whether a comparison holds, from `==` to `not in`.
[[nodiscard]] bool compare(Heap& heap, Operator operation, const Value& left, const Value& right);
/// len(); nothing where there is none.
[[nodiscard]] std::optional<std::size_t> find_length(const Value& value);
/// Refuses what has no length.
[[nodiscard]] std::size_t length_of(const Value& value);
/// value[start:stop:step]; the bounds may be none.
[[nodiscard]] Value slice(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step);

// arithmetic.cpp
/// From `+` to `%`.
[[nodiscard]] Value calculate(Heap& heap, Operator operation, const Value& left, const Value& right);
[[nodiscard]] Value negate(const Value& value);
[[nodiscard]] Value posit(const Value& value);

/// Python's name of a value's type, for messages.
[[nodiscard]] std::string_view type_name(const Value& value);

}  // namespace ctxmgr::jinja
