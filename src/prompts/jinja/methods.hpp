#pragma once
#include <string_view>

#include "prompts/jinja/macro.hpp"

/// \file
/// The attributes that values have in Python, as far as templates use them, and the global functions.
namespace ctxmgr::jinja {

/// The method of a value's type; null where the type has none of that name. A spec without a function is one that
/// Python has and this engine does not support.
[[nodiscard]] const FunctionSpec* find_method(Tag type, std::string_view name);

/// A global function; null where there is none of that name.
[[nodiscard]] const FunctionSpec* find_global(std::string_view name);

struct FunctionTable {
  const FunctionSpec* begin;
  const FunctionSpec* end;
};
[[nodiscard]] FunctionTable string_methods();

/// value[start:stop:step]; the bounds may be none.
[[nodiscard]] Value slice(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step);

}  // namespace ctxmgr::jinja
