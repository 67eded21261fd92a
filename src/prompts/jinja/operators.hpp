#pragma once
#include <string_view>

#include "prompts/jinja/value.hpp"

/// \file
/// Python's operators on values.
namespace ctxmgr::jinja {

/// Refuses an undefined value where Python's would raise.
[[noreturn]] void refuse_undefined(const Value& value);
/// Refuses an operation on two types; `what` says what was tried.
[[noreturn]] void refuse_operands(std::string_view what, const Value& left, const Value& right);

[[nodiscard]] bool is_true(const Value& value);
[[nodiscard]] bool equals(Heap& heap, const Value& left, const Value& right);
/// left < right; refuses what Python cannot order, and NaN, for which sorting has no defined result.
[[nodiscard]] bool less(Heap& heap, const Value& left, const Value& right);
/// Python's `left < right` and so on for a comparison written in a template.
enum class Order { less, less_equal, greater, greater_equal };
[[nodiscard]] bool compare(Heap& heap, Order order, const Value& left, const Value& right);
[[nodiscard]] bool contains(Heap& heap, const Value& container, const Value& item);
/// len(); refuses what has none.
[[nodiscard]] std::size_t length_of(const Value& value);
[[nodiscard]] bool has_length(const Value& value);
/// value[start:stop:step]; the bounds may be none.
[[nodiscard]] Value slice(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step);

// arithmetic.cpp
[[nodiscard]] Value add(Heap& heap, const Value& left, const Value& right);
[[nodiscard]] Value subtract(const Value& left, const Value& right);
[[nodiscard]] Value multiply(Heap& heap, const Value& left, const Value& right);
[[nodiscard]] Value divide(const Value& left, const Value& right);
[[nodiscard]] Value floor_divide(const Value& left, const Value& right);
[[nodiscard]] Value modulo(const Value& left, const Value& right);
[[nodiscard]] Value negate(const Value& value);
[[nodiscard]] Value posit(const Value& value);

/// Python's name of a value's type, for messages.
[[nodiscard]] std::string_view type_name(const Value& value);

}  // namespace ctxmgr::jinja
