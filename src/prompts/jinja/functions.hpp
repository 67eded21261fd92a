#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "prompts/jinja/arguments.hpp"

namespace ctxmgr::jinja {

class Renderer;
struct Expression;

/// A filter, a test, a method or a global function. The first argument of all but the last is the value that it is applied to.
struct FunctionSpec {
  std::string_view name;
  Parameters parameters;
  Value (*call)(Renderer&, Arguments&);  ///< Null: jinja2 has it, this engine has not.
  Cost cost = Cost::own;
};

using FunctionTable = std::span<const FunctionSpec>;

enum class FunctionKind : std::uint8_t { filter, test };

// Null where there is none of that name.
[[nodiscard]] const FunctionSpec* find_function(FunctionKind kind, std::string_view name);
[[nodiscard]] const FunctionSpec* find_global(std::string_view name);
/// A method of the value's type.
[[nodiscard]] const FunctionSpec* find_method(const Value& value, std::string_view name);

/// One that a value names: a message repeats no name but jinja2's own.
[[nodiscard]] const FunctionSpec& need_function(FunctionKind kind, std::string_view name);
/// Refuses a filter or test that was not found by its name; jinja2's own are told from misspelt ones.
void check_function(const Expression& expression);
/// Whether Python's value has an attribute of that name, and this engine's has not.
[[nodiscard]] bool is_unsupported_attribute(const Value& value, std::string_view name);

[[nodiscard]] FunctionTable text_filters();
[[nodiscard]] FunctionTable sequence_filters();
[[nodiscard]] FunctionTable selection_filters();
[[nodiscard]] FunctionTable number_filters();
[[nodiscard]] FunctionTable markup_filters();
[[nodiscard]] FunctionTable tests();
[[nodiscard]] FunctionTable text_methods();
[[nodiscard]] FunctionTable list_methods();
[[nodiscard]] FunctionTable dict_methods();
[[nodiscard]] FunctionTable loop_methods();
[[nodiscard]] FunctionTable globals();

}  // namespace ctxmgr::jinja
