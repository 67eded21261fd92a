#include <algorithm>

#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/filter_support.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/string_tools.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

// Whether the value is escaped text: str methods keep that.
bool markup_of(const Value& value) { return value.is(Tag::string) && value.string().markup; }

template <std::string (*map)(std::string_view)>
Value map_text(Renderer& renderer, Arguments& arguments) {
  const Value value = soft_text(renderer, arguments.positional[0]);
  return renderer.text(map(value.text()), markup_of(value));
}

bool starts_word(char c) { return c == '-' || c == '(' || c == '{' || c == '[' || c == '<'; }

// jinja2's title: a word begins after white space and after opening brackets and hyphens.
std::string title_words(std::string_view text) {
  std::string out;
  std::string word;
  const auto flush = [&out, &word] {
    if (word.empty()) return;
    const std::size_t first = sequence_length(word[0]);
    out += to_upper(std::string_view(word).substr(0, first)) + to_lower(std::string_view(word).substr(first));
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = decode_next(text, at);
    if (is_space(c) || (c < 0x80 && starts_word(static_cast<char>(c)))) {
      flush();
      out += text.substr(start, at - start);
    } else {
      word += text.substr(start, at - start);
    }
  }
  flush();
  return out;
}

template <Side side>
Value strip_text(Renderer& renderer, Arguments& arguments) {
  const Value value = soft_text(renderer, arguments.positional[0]);
  const Value* characters = given(arguments, 1);
  if (characters != nullptr && !characters->is(Tag::none)) {
    return renderer.text(std::string(strip_characters(value.text(), need_text(*characters), side)), markup_of(value));
  }
  return renderer.text(std::string(strip(value.text(), side)), markup_of(value));
}

Value replace_filter(Renderer& renderer, Arguments& arguments) {
  Heap& heap = renderer.heap();
  const std::string text = to_str(heap, arguments.positional[0]);
  const std::string from = to_str(heap, arguments.positional[1]);
  const std::string to = to_str(heap, arguments.positional[2]);
  const Value* count = given(arguments, 3);
  const std::int64_t times = count == nullptr || count->is(Tag::none) ? -1 : need_integer(*count);
  return renderer.text(replace_all(heap, text, from, to, times));
}

Value join_filter(Renderer& renderer, Arguments& arguments) {
  Heap& heap = renderer.heap();
  const AttributePath path(renderer, arguments.positional[2]);
  const Value* separator_value = given(arguments, 1);
  const std::string separator = separator_value != nullptr ? to_str(heap, *separator_value) : "";
  std::string out;
  Cursor cursor(arguments.positional[0]);
  Value item;
  for (bool first = true; cursor.next(heap, item); first = false) {
    if (!first) out += separator;
    append_str(heap, path.get(renderer, item), out);
    heap.check_room(out.size());
  }
  return renderer.text(std::move(out));
}

Value indent_filter(Renderer& renderer, Arguments& arguments) {
  Heap& heap = renderer.heap();
  const Value& value = arguments.positional[0];
  const Value* width = given(arguments, 1);
  const bool text_width = width != nullptr && width->is(Tag::string);
  const std::int64_t count = text_width ? 0 : std::max<std::int64_t>(integer_or(arguments, 1, 4), 0);
  heap.check_room(static_cast<std::size_t>(count));
  heap.step_text(static_cast<std::size_t>(count));
  const std::string indention = text_width ? width->text() : std::string(static_cast<std::size_t>(count), ' ');
  const std::string text = need_text(value) + "\n";
  const bool blank = boolean_or(arguments, 3, false);
  std::string out = boolean_or(arguments, 2, false) ? indention : "";
  const auto lines = split_lines(heap, text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += "\n";
    if (i > 0 && (blank || !lines[i].empty())) out += indention;
    out += lines[i];
    heap.step_text(indention.size());
    heap.check_room(out.size());
  }
  return renderer.text(std::move(out), markup_of(value));
}

Value truncate_filter(Renderer& renderer, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  const std::string end = given(arguments, 3) != nullptr ? need_text(arguments.positional[3]) : "...";
  const std::int64_t length = integer_or(arguments, 1, 255);
  const Value* leeway_value = given(arguments, 4);
  const std::int64_t leeway = leeway_value == nullptr || leeway_value->is(Tag::none) ? 5 : need_integer(*leeway_value);
  const auto end_length = static_cast<std::int64_t>(utf8::count_code_points(end));
  if (length < end_length || leeway < 0) refuse("truncate() is given lengths that contradict each other");
  if (value.is(Tag::undefined) && !value.is_strict_undefined()) return value;
  if (markup_of(value)) refuse("truncating an escaped text is not supported");
  const std::string& text = need_text(value);
  if (static_cast<std::int64_t>(value.string().code_points()) <= length + leeway) return value;
  const std::string kept = text.substr(0, byte_offset(text, static_cast<std::size_t>(length - end_length)));
  if (boolean_or(arguments, 2, false)) return renderer.text(kept + end);
  return renderer.text(kept.substr(0, kept.rfind(' ')) + end);
}

Value string_filter(Renderer& renderer, Arguments& arguments) { return soft_text(renderer, arguments.positional[0]); }

// Methods -------------------------------------------------------------------------------------------------------------

Value split_method(Renderer& renderer, Arguments& arguments) {
  const Value* separator = given(arguments, 1);
  const bool at_spaces = separator == nullptr || separator->is(Tag::none);
  if (!at_spaces && need_text(*separator).empty()) refuse("an empty separator");
  std::vector<Value> items;
  for (const std::string_view part : split(renderer.heap(), arguments.positional[0].text(),
                                           at_spaces ? "" : separator->text(), integer_or(arguments, 2, -1))) {
    items.push_back(renderer.text(std::string(part)));
  }
  return make_list(renderer.heap(), std::move(items));
}

template <bool at_start>
Value affix_method(Renderer& renderer, Arguments& arguments) {
  const std::string_view text = arguments.positional[0].text();
  const auto matches = [text, &renderer](const Value& value) {
    const std::string& affix = need_text(value);
    renderer.heap().step_text(std::min(affix.size(), text.size()));
    if (affix.size() > text.size()) return false;
    return text.substr(at_start ? 0 : text.size() - affix.size(), affix.size()) == affix;
  };
  const Value& wanted = arguments.positional[1];
  if (!wanted.is(Tag::tuple)) return Value::boolean(matches(wanted));
  const auto& affixes = wanted.sequence().items;
  return Value::boolean(std::any_of(affixes.begin(), affixes.end(), matches));
}

Value replace_method(Renderer& renderer, Arguments& arguments) {
  const std::string& text = arguments.positional[0].text();
  const std::string& from = need_text(arguments.positional[1]);
  const std::string& to = need_text(arguments.positional[2]);
  return renderer.text(replace_all(renderer.heap(), text, from, to, integer_or(arguments, 3, -1)));
}

constexpr FunctionSpec text_filter_table[] = {
    {"upper", {"s", 1}, map_text<to_upper>, Cost::texts},
    {"lower", {"s", 1}, map_text<to_lower>, Cost::texts},
    {"capitalize", {"s", 1}, map_text<capitalize>, Cost::texts},
    {"title", {"s", 1}, map_text<title_words>, Cost::texts},
    {"trim", {"value chars", 1}, strip_text<Side::both>, Cost::texts},
    {"replace", {"s old new count", 3}, replace_filter, Cost::texts},
    {"join", {"value d attribute", 1}, join_filter},
    {"indent", {"s width first blank", 1}, indent_filter, Cost::texts},
    {"truncate", {"s length killwords end leeway", 1}, truncate_filter, Cost::texts},
    {"string", {"/s", 1}, string_filter},
};

constexpr FunctionSpec text_method_table[] = {
    {"split", {"self sep maxsplit", 1}, split_method, Cost::texts},
    {"strip", {"/self chars", 1}, strip_text<Side::both>, Cost::texts},
    {"lstrip", {"/self chars", 1}, strip_text<Side::left>, Cost::texts},
    {"rstrip", {"/self chars", 1}, strip_text<Side::right>, Cost::texts},
    {"upper", {"/self", 1}, map_text<to_upper>, Cost::texts},
    {"lower", {"/self", 1}, map_text<to_lower>, Cost::texts},
    {"title", {"/self", 1}, map_text<to_title>, Cost::texts},
    {"capitalize", {"/self", 1}, map_text<capitalize>, Cost::texts},
    {"startswith", {"/self prefix", 2}, affix_method<true>},
    {"endswith", {"/self suffix", 2}, affix_method<false>},
    {"replace", {"/self old new count", 3}, replace_method, Cost::texts},
};

}  // namespace

FunctionTable text_filters() { return text_filter_table; }
FunctionTable text_methods() { return text_method_table; }

}  // namespace ctxmgr::jinja
