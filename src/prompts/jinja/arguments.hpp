#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "prompts/jinja/value.hpp"

namespace ctxmgr::jinja {

/// What a call passes.
struct Arguments {
  std::vector<Value> positional{};
  std::vector<std::pair<Value, Value>> keywords{};
};

/// Parameter names, separated by spaces. A leading '/' makes them positional-only; a leading '*' takes anything.
struct Parameters {
  std::string_view names;
  std::size_t required = 0;
};

/// What a call takes beside its step.
enum class Cost : unsigned char {
  texts,  ///< A step for each 64 bytes of the texts that it is given: it reads them.
  own,    ///< It says itself: it reads none of them, or only in part, or what is read is paid for elsewhere.
};

/// Whether it is one of these names, separated by spaces.
[[nodiscard]] bool has_name(std::string_view names, std::string_view wanted);

/// Sorts the arguments into one positional value a parameter, missing where there is none; refuses what Python would.
void bind(std::string_view callee, const Parameters& parameters, Arguments& arguments);

/// The argument at a position, after bind(); null where it is missing.
[[nodiscard]] inline const Value* given(const Arguments& arguments, std::size_t position) {
  const Value& value = arguments.positional[position];
  return value.is(Tag::missing) ? nullptr : &value;
}

/// Typed readers: refuse what is of another type.
[[nodiscard]] std::int64_t integer_or(const Arguments& arguments, std::size_t position, std::int64_t otherwise);
[[nodiscard]] bool boolean_or(const Arguments& arguments, std::size_t position, bool otherwise);
[[nodiscard]] std::int64_t need_integer(const Value& value);
[[nodiscard]] const std::string& need_text(const Value& value);

}  // namespace ctxmgr::jinja
