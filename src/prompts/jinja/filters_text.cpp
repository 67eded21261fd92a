#include <algorithm>
#include <iterator>

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

Value trim_filter(Renderer& renderer, Arguments& arguments) {
  const Value value = soft_text(renderer, arguments.positional[0]);
  const Value* characters = given(arguments, 1);
  if (characters == nullptr || characters->is(Tag::none)) {
    return renderer.text(std::string(strip(value.text())), markup_of(value));
  }
  return renderer.text(std::string(strip_characters(value.text(), need_text(*characters), Side::both)),
                       markup_of(value));
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
  const Value* attribute = given(arguments, 2);
  const AttributePath path(renderer, attribute != nullptr ? *attribute : Value::none());
  const Value* separator_value = given(arguments, 1);
  const std::string separator = separator_value != nullptr ? to_str(heap, *separator_value) : "";
  std::string out;
  Cursor cursor(arguments.positional[0]);
  Value item;
  for (bool first = true; cursor.next(heap, item); first = false) {
    if (!first) out += separator;
    append_str(heap, path.get(renderer, std::move(item)), out);
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
  const auto end_length = static_cast<std::int64_t>(count_code_points(end));
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

constexpr FilterSpec text_table[] = {
    {"upper", {"s", 1}, map_text<to_upper>},
    {"lower", {"s", 1}, map_text<to_lower>},
    {"capitalize", {"s", 1}, map_text<capitalize>},
    {"title", {"s", 1}, map_text<title_words>},
    {"trim", {"value chars", 1}, trim_filter},
    {"replace", {"s old new count", 3}, replace_filter},
    {"join", {"value d attribute", 1}, join_filter, Cost::own},
    {"indent", {"s width first blank", 1}, indent_filter},
    {"truncate", {"s length killwords end leeway", 1}, truncate_filter},
    {"string", {"/s", 1}, string_filter, Cost::own},
};

}  // namespace

FilterTable text_filters() { return {std::begin(text_table), std::end(text_table)}; }

}  // namespace ctxmgr::jinja
