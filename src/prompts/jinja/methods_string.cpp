#include <algorithm>
#include <iterator>

#include "prompts/jinja/cursor.hpp"
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

Value splitlines_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  return list_of(renderer, split_lines(renderer.heap(), self.text(), boolean_or(arguments, 0, false)));
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

// The part of the text that optional start and end arguments choose; nothing where the start lies behind the end.
struct Window {
  std::string_view text;
  std::size_t first = 0;  ///< In code points.
  bool valid = true;
};

Window window(const Value& self, const Arguments& arguments) {
  const auto length = static_cast<std::int64_t>(self.string().code_points());
  const auto position = [&](std::size_t index, std::int64_t otherwise) {
    const Value* value = given(arguments, index);
    std::int64_t result = value == nullptr || value->is(Tag::none) ? otherwise : need_integer(*value);
    if (result < 0) result = std::max<std::int64_t>(result + length, 0);
    return result;
  };
  const std::int64_t start = position(1, 0);
  const std::int64_t end = std::min(position(2, length), length);
  if (start > end) return {{}, 0, false};
  const std::string_view text = self.text();
  const std::size_t from = byte_offset(text, static_cast<std::size_t>(start));
  const std::size_t to = byte_offset(text, static_cast<std::size_t>(end));
  return {text.substr(from, to - from), static_cast<std::size_t>(start), true};
}

template <bool at_start>
Value affix_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const bool whole = given(arguments, 1) == nullptr && given(arguments, 2) == nullptr;
  if (!whole) renderer.heap().step_text(self.text().size());
  const Window part = whole ? Window{self.text()} : window(self, arguments);
  const auto matches = [&part, &renderer](const Value& affix) {
    const std::string& text = need_text(affix);
    renderer.heap().step_text(std::min(text.size(), part.text.size()));
    if (!part.valid || text.size() > part.text.size()) return false;
    return (at_start ? part.text.substr(0, text.size()) : part.text.substr(part.text.size() - text.size())) == text;
  };
  const Value& wanted = arguments.positional[0];
  if (!wanted.is(Tag::tuple)) return Value::boolean(matches(wanted));
  const auto& affixes = wanted.sequence().items;
  return Value::boolean(std::any_of(affixes.begin(), affixes.end(), matches));
}

Value find_method_of_text(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string& wanted = need_text(arguments.positional[0]);
  const Window part = window(self, arguments);
  const TextSearch search(renderer.heap(), wanted);
  const std::size_t found = part.valid ? search.find(part.text) : std::string_view::npos;
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::size(part.first + count_code_points(part.text.substr(0, found)));
}

Value replace_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string& from = need_text(arguments.positional[0]);
  const std::string& to = need_text(arguments.positional[1]);
  return renderer.text(replace_all(renderer.heap(), self.text(), from, to, integer_or(arguments, 2, -1)));
}

Value join_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  std::string out;
  Cursor cursor(arguments.positional[0]);
  Value item;
  bool first = true;
  while (cursor.next(renderer.heap(), item)) {
    if (!first) out += self.text();
    out += need_text(item);
    first = false;
    renderer.heap().check_room(out.size());
  }
  return renderer.text(std::move(out));
}

constexpr FunctionSpec methods[] = {
    {"split", {"sep maxsplit"}, split_method},
    {"splitlines", {"keepends"}, splitlines_method},
    {"strip", {"/chars"}, strip_method<Side::both>},
    {"lstrip", {"/chars"}, strip_method<Side::left>},
    {"rstrip", {"/chars"}, strip_method<Side::right>},
    {"upper", {""}, map_method<to_upper>},
    {"lower", {""}, map_method<to_lower>},
    {"title", {""}, map_method<to_title>},
    {"capitalize", {""}, map_method<capitalize>},
    {"startswith", {"/prefix start end", 1}, affix_method<true>, Cost::own},
    {"endswith", {"/suffix start end", 1}, affix_method<false>, Cost::own},
    {"find", {"/sub start end", 1}, find_method_of_text},
    {"replace", {"/old new count", 2}, replace_method},
    {"join", {"/iterable", 1}, join_method, Cost::own},
    {"casefold", {""}, nullptr},
    {"center", {""}, nullptr},
    {"count", {""}, nullptr},
    {"encode", {""}, nullptr},
    {"expandtabs", {""}, nullptr},
    {"format", {""}, nullptr},
    {"format_map", {""}, nullptr},
    {"index", {""}, nullptr},
    {"isalnum", {""}, nullptr},
    {"isalpha", {""}, nullptr},
    {"isascii", {""}, nullptr},
    {"isdecimal", {""}, nullptr},
    {"isdigit", {""}, nullptr},
    {"isidentifier", {""}, nullptr},
    {"islower", {""}, nullptr},
    {"isnumeric", {""}, nullptr},
    {"isprintable", {""}, nullptr},
    {"isspace", {""}, nullptr},
    {"istitle", {""}, nullptr},
    {"isupper", {""}, nullptr},
    {"ljust", {""}, nullptr},
    {"maketrans", {""}, nullptr},
    {"partition", {""}, nullptr},
    {"removeprefix", {""}, nullptr},
    {"removesuffix", {""}, nullptr},
    {"rfind", {""}, nullptr},
    {"rindex", {""}, nullptr},
    {"rjust", {""}, nullptr},
    {"rpartition", {""}, nullptr},
    {"rsplit", {""}, nullptr},
    {"swapcase", {""}, nullptr},
    {"translate", {""}, nullptr},
    {"zfill", {""}, nullptr},
};

}  // namespace

FunctionTable string_methods() { return {std::begin(methods), std::end(methods)}; }

}  // namespace ctxmgr::jinja
