#include <algorithm>
#include <iterator>

#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/format.hpp"
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

Value rsplit_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  return list_of(renderer, split_from_right(renderer.heap(), self.text(), separator_argument(arguments),
                                            integer_or(arguments, 1, -1)));
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

template <bool from_right, bool must_exist>
Value find_method_of_text(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string& wanted = need_text(arguments.positional[0]);
  const Window part = window(self, arguments);
  const TextSearch search(renderer.heap(), wanted, from_right ? Side::right : Side::left);
  const std::size_t found = part.valid ? search.find(part.text) : std::string_view::npos;
  if (found == std::string_view::npos) {
    if (must_exist) refuse("the text is not found");
    return Value::integer(-1);
  }
  return Value::size(part.first + count_code_points(part.text.substr(0, found)));
}

Value count_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string& wanted = need_text(arguments.positional[0]);
  const Window part = window(self, arguments);
  if (!part.valid) return Value::integer(0);
  if (wanted.empty()) return Value::size(count_code_points(part.text) + 1);
  const TextSearch search(renderer.heap(), wanted);
  std::string_view rest = part.text;
  std::int64_t count = 0;
  for (std::size_t at = 0; (at = search.find(rest)) != std::string_view::npos; ++count) {
    rest.remove_prefix(at + wanted.size());
  }
  return Value::integer(count);
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

template <bool from_right>
Value partition_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string& separator = need_text(arguments.positional[0]);
  if (separator.empty()) refuse("an empty separator");
  const std::string& text = self.text();
  const std::size_t found = TextSearch(renderer.heap(), separator, from_right ? Side::right : Side::left).find(text);
  std::vector<Value> parts;
  if (found == std::string::npos) {
    parts = {self, renderer.text(""), renderer.text("")};
    if (from_right) std::swap(parts[0], parts[2]);
  } else {
    parts = {renderer.text(text.substr(0, found)), arguments.positional[0],
             renderer.text(text.substr(found + separator.size()))};
  }
  return make_tuple(renderer.heap(), std::move(parts));
}

template <bool prefix>
Value remove_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string& affix = need_text(arguments.positional[0]);
  std::string_view text = self.text();
  const bool fits = !affix.empty() && affix.size() <= text.size();
  if (fits && prefix && text.substr(0, affix.size()) == affix) {
    text.remove_prefix(affix.size());
  } else if (fits && !prefix && text.substr(text.size() - affix.size()) == affix) {
    text.remove_suffix(affix.size());
  }
  return renderer.text(std::string(text));
}

std::string fill_argument(const Arguments& arguments) {
  const Value* fill = given(arguments, 1);
  if (fill == nullptr) return " ";
  if (count_code_points(need_text(*fill)) != 1) refuse("the fill must be one character");
  return fill->text();
}

Value center_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  return renderer.text(
      center(renderer.heap(), self.text(), need_integer(arguments.positional[0]), fill_argument(arguments)));
}

template <Side side>
Value justify_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  return renderer.text(
      justify(renderer.heap(), self.text(), need_integer(arguments.positional[0]), fill_argument(arguments), side));
}

Value zfill_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  const std::string& text = self.text();
  const bool has_sign = !text.empty() && (text[0] == '+' || text[0] == '-');
  const std::int64_t width = need_integer(arguments.positional[0]) - (has_sign ? 1 : 0);
  const std::string_view digits = std::string_view(text).substr(has_sign ? 1 : 0);
  return renderer.text((has_sign ? text.substr(0, 1) : "") + justify(renderer.heap(), digits, width, "0", Side::right));
}

Value format_method(Renderer& renderer, const Value& self, Arguments& arguments) {
  Value keywords = make_dict(renderer.heap());
  for (const auto& [name, value] : arguments.keywords) keywords.dict().set(name, value);
  return format_braces(renderer.heap(), self, arguments.positional, keywords);
}

template <bool (*test)(char32_t)>
Value all_method(Renderer&, const Value& self, Arguments&) {
  const auto points = decode_all(self.text());
  return Value::boolean(!points.empty() && std::all_of(points.begin(), points.end(), test));
}

bool is_alphanumeric(char32_t c) {
  if (c >= 0x80 && !is_alphabetic(c) && is_word(c)) refuse("the class of a character is not supported");
  return is_alphabetic(c) || is_decimal(c);
}

bool is_digit(char32_t c) {
  if (c >= 0x80 && is_word(c) && !is_alphabetic(c) && !is_decimal(c))
    refuse("the class of a character is not supported");
  return is_decimal(c);
}

template <bool upper>
Value case_method(Renderer&, const Value& self, Arguments&) {
  bool any = false;
  for (const char32_t c : decode_all(self.text())) {
    if (upper ? is_lower(c) : is_upper(c)) return Value::boolean(false);
    any = any || (upper ? is_upper(c) : is_lower(c));
  }
  return Value::boolean(any);
}

constexpr FunctionSpec methods[] = {
    {"split", {"sep maxsplit"}, split_method},
    {"rsplit", {"sep maxsplit"}, rsplit_method},
    {"splitlines", {"keepends"}, splitlines_method},
    {"strip", {"/chars"}, strip_method<Side::both>},
    {"lstrip", {"/chars"}, strip_method<Side::left>},
    {"rstrip", {"/chars"}, strip_method<Side::right>},
    {"upper", {""}, map_method<to_upper>},
    {"lower", {""}, map_method<to_lower>},
    {"title", {""}, map_method<to_title>},
    {"capitalize", {""}, map_method<capitalize>},
    {"swapcase", {""}, map_method<swap_case>},
    {"startswith", {"/prefix start end", 1}, affix_method<true>, Cost::own},
    {"endswith", {"/suffix start end", 1}, affix_method<false>, Cost::own},
    {"find", {"/sub start end", 1}, find_method_of_text<false, false>},
    {"rfind", {"/sub start end", 1}, find_method_of_text<true, false>},
    {"index", {"/sub start end", 1}, find_method_of_text<false, true>},
    {"rindex", {"/sub start end", 1}, find_method_of_text<true, true>},
    {"count", {"/sub start end", 1}, count_method},
    {"replace", {"/old new count", 2}, replace_method},
    {"join", {"/iterable", 1}, join_method, Cost::own},
    {"partition", {"/sep", 1}, partition_method<false>},
    {"rpartition", {"/sep", 1}, partition_method<true>},
    {"removeprefix", {"/prefix", 1}, remove_method<true>, Cost::own},
    {"removesuffix", {"/suffix", 1}, remove_method<false>, Cost::own},
    {"center", {"/width fillchar", 1}, center_method},
    {"ljust", {"/width fillchar", 1}, justify_method<Side::left>},
    {"rjust", {"/width fillchar", 1}, justify_method<Side::right>},
    {"zfill", {"/width", 1}, zfill_method},
    {"format", {"*"}, format_method},
    {"isspace", {""}, all_method<is_space>},
    {"isalpha", {""}, all_method<is_alphabetic>},
    {"isalnum", {""}, all_method<is_alphanumeric>},
    {"isdigit", {""}, all_method<is_digit>},
    {"isdecimal", {""}, all_method<is_decimal>},
    {"isnumeric", {""}, all_method<is_digit>},
    {"isupper", {""}, case_method<true>},
    {"islower", {""}, case_method<false>},
    {"casefold", {""}, nullptr},
    {"encode", {""}, nullptr},
    {"expandtabs", {""}, nullptr},
    {"format_map", {""}, nullptr},
    {"isascii", {""}, nullptr},
    {"isidentifier", {""}, nullptr},
    {"isprintable", {""}, nullptr},
    {"istitle", {""}, nullptr},
    {"maketrans", {""}, nullptr},
    {"translate", {""}, nullptr},
};

}  // namespace

FunctionTable string_methods() { return {std::begin(methods), std::end(methods)}; }

}  // namespace ctxmgr::jinja
