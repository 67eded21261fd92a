#include <algorithm>
#include <iterator>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/methods.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/renderer.hpp"
#include "prompts/jinja/string_tools.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

// Reads only the first argument as a separator; none is the default.
std::string_view separator_argument(const Arguments& arguments) {
  const Value* value = given(arguments, 0);
  if (value == nullptr || value->is(Tag::none)) return {};
  if (need_text(*value).empty()) refuse("an empty separator");
  return value->text();
}

Value list_of(Renderer& renderer, const std::vector<std::string_view>& parts) {
  std::vector<Value> items;
  items.reserve(parts.size());
  for (const std::string_view part : parts) items.push_back(renderer.text(std::string(part)));
  return make_list(renderer.heap(), std::move(items));
}

Value split_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  return list_of(renderer,
                 split(renderer.heap(), self.text(), separator_argument(arguments), integer_or(arguments, 1, -1)));
}

template <Side side>
Value strip_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const Value* characters = given(arguments, 0);
  const std::string& text = self.text();
  if (characters != nullptr && !characters->is(Tag::none)) {
    return renderer.text(std::string(strip_characters(text, need_text(*characters), side)));
  }
  const std::string_view stripped = side == Side::left    ? strip_left(text)
                                    : side == Side::right ? strip_right(text)
                                                          : strip(text);
  return renderer.text(std::string(stripped));
}

template <std::string (*map)(std::string_view)>
Value map_method(Renderer& renderer, const Value& self, Arguments&) {
  return renderer.text(map(self.text()));
}

template <bool at_start>
Value affix_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string_view text = self.text();
  const auto matches = [text, &renderer](const Value& value) {
    const std::string& affix = need_text(value);
    renderer.heap().step_text(std::min(affix.size(), text.size()));
    if (affix.size() > text.size()) return false;
    return text.substr(at_start ? 0 : text.size() - affix.size(), affix.size()) == affix;
  };
  const Value& wanted = arguments.positional[0];
  if (!wanted.is(Tag::tuple)) return Value::boolean(matches(wanted));
  const auto& affixes = wanted.sequence().items;
  return Value::boolean(std::any_of(affixes.begin(), affixes.end(), matches));
}

Value replace_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string& from = need_text(arguments.positional[0]);
  const std::string& to = need_text(arguments.positional[1]);
  return renderer.text(replace_all(renderer.heap(), self.text(), from, to, integer_or(arguments, 2, -1)));
}

constexpr FunctionSpec string_table[] = {
    {"split", {"sep maxsplit"}, split_method},
    {"strip", {"/chars"}, strip_method<Side::both>},
    {"lstrip", {"/chars"}, strip_method<Side::left>},
    {"rstrip", {"/chars"}, strip_method<Side::right>},
    {"upper", {""}, map_method<to_upper>},
    {"lower", {""}, map_method<to_lower>},
    {"title", {""}, map_method<to_title>},
    {"capitalize", {""}, map_method<capitalize>},
    {"startswith", {"/prefix", 1}, affix_method<true>, Cost::own},
    {"endswith", {"/suffix", 1}, affix_method<false>, Cost::own},
    {"replace", {"/old new count", 2}, replace_method},
};

}  // namespace

FunctionTable string_methods() { return {std::begin(string_table), std::end(string_table)}; }

}  // namespace ctxmgr::jinja
