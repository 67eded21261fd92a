#include "prompts/jinja/arguments.hpp"

#include <algorithm>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/operators.hpp"

namespace ctxmgr::jinja {
namespace {

std::size_t count_names(std::string_view names) {
  return names.empty() ? 0 : static_cast<std::size_t>(std::count(names.begin(), names.end(), ' ')) + 1;
}

std::size_t find_name(std::string_view names, std::string_view wanted) {
  std::size_t position = 0;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == wanted) return position;
    names.remove_prefix(std::min(end + 1, names.size()));
    ++position;
  }
  return static_cast<std::size_t>(-1);
}

[[noreturn]] void refuse_call(std::string_view callee, std::string_view why) {
  refuse(std::string(callee) + "() " + std::string(why));
}

}  // namespace

bool has_name(std::string_view names, std::string_view wanted) { return find_name(names, wanted) < names.size(); }

void bind(std::string_view callee, const Parameters& parameters, Arguments& arguments) {
  std::string_view names = parameters.names;
  if (!names.empty() && names.front() == '*') return;
  const bool positional_only = !names.empty() && names.front() == '/';
  if (positional_only) names.remove_prefix(1);
  const std::size_t count = count_names(names);
  if (arguments.positional.size() > count) refuse_call(callee, "is given too many arguments");
  arguments.positional.resize(count);
  for (auto& [name, value] : arguments.keywords) {
    const std::size_t position = positional_only ? count : find_name(names, name.text());
    if (position >= count) refuse_call(callee, "is given an unknown named argument");
    if (!arguments.positional[position].is(Tag::missing)) refuse_call(callee, "is given an argument twice");
    arguments.positional[position] = value;
  }
  arguments.keywords.clear();
  for (std::size_t i = 0; i < parameters.required; ++i) {
    if (arguments.positional[i].is(Tag::missing)) refuse_call(callee, "lacks an argument");
  }
}

std::int64_t need_integer(const Value& value) {
  if (value.is(Tag::undefined)) refuse_undefined(value);
  if (!value.is_integral()) refuse("an integer is required");
  return value.as_integer();
}

std::int64_t integer_or(const Arguments& arguments, std::size_t position, std::int64_t otherwise) {
  const Value* value = given(arguments, position);
  return value == nullptr ? otherwise : need_integer(*value);
}

bool boolean_or(const Arguments& arguments, std::size_t position, bool otherwise) {
  const Value* value = given(arguments, position);
  return value == nullptr ? otherwise : is_true(*value);
}

const std::string& need_text(const Value& value) {
  if (value.is(Tag::undefined)) refuse_undefined(value);
  if (!value.is(Tag::string)) refuse("a text is required");
  return value.text();
}

}  // namespace ctxmgr::jinja
