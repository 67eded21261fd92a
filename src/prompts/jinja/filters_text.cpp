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
Value map_filter(Renderer& renderer, Arguments& arguments) {
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

Value center_filter(Renderer& renderer, Arguments& arguments) {
  const Value value = soft_text(renderer, arguments.positional[0]);
  return renderer.text(center(renderer.heap(), value.text(), integer_or(arguments, 1, 80), " "), markup_of(value));
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
  const auto lines = split_lines(heap, text, false);
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

Value wordcount_filter(Renderer& renderer, Arguments& arguments) {
  const Value value = soft_text(renderer, arguments.positional[0]);
  std::int64_t words = 0;
  bool within = false;
  for (std::size_t at = 0; at < value.text().size();) {
    const bool word = is_word(decode_next(value.text(), at));
    words += word && !within ? 1 : 0;
    within = word;
  }
  return Value::integer(words);
}

bool is_wrap_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_blank(std::string_view text) { return strip(text).empty(); }

/// Python's textwrap.wrap, step by step, for lines without hyphens, at which it would break words.
class Wrapper {
 public:
  Wrapper(std::string_view line, std::size_t width, bool break_long_words)
      : rest_(line), width_(width), break_long_words_(break_long_words) {
    take_chunk();
  }

  /// False: there are no more lines.
  bool next(std::string& line) {
    while (!chunk_.empty()) {
      line.clear();
      if (wrap_line(line)) return true;
    }
    return false;
  }

 private:
  // A word, or the white space between two.
  void take_chunk() {
    const bool space = !rest_.empty() && is_wrap_space(rest_[0]);
    std::size_t end = 0;
    while (end < rest_.size() && is_wrap_space(rest_[end]) == space) ++end;
    chunk_ = rest_.substr(0, end);
    rest_.remove_prefix(end);
  }

  // False: nothing but white space was left.
  bool wrap_line(std::string& line) {
    if (has_lines_ && is_blank(chunk_)) {
      take_chunk();
      if (chunk_.empty()) return false;
    }
    std::size_t length = 0;
    std::size_t last_part = 0;  // where it begins
    const auto add = [&](std::string_view part) {
      last_part = line.size();
      line += part;
    };
    for (; !chunk_.empty() && fits(chunk_, width_ - length); take_chunk()) {
      length += count_code_points(chunk_);
      add(chunk_);
    }
    if (!chunk_.empty() && !fits(chunk_, width_)) {
      if (break_long_words_) {
        const std::size_t end = byte_offset(chunk_, width_ - length);
        add(chunk_.substr(0, end));  // even nothing, as Python does: then the white space before it stays
        chunk_.remove_prefix(end);
      } else if (line.empty()) {
        add(chunk_);
        take_chunk();
      }
    }
    if (is_blank(std::string_view(line).substr(last_part))) line.resize(last_part);
    has_lines_ |= !line.empty();
    return !line.empty();
  }

  // A long word is looked at for each line that it gives: only as far as a line goes.
  static bool fits(std::string_view chunk, std::size_t room) { return byte_offset(chunk, room) == chunk.size(); }

  std::string_view rest_;
  std::string_view chunk_{};  ///< Empty: the end.
  std::size_t width_;
  bool break_long_words_;
  bool has_lines_ = false;
};

Value wordwrap_filter(Renderer& renderer, Arguments& arguments) {
  const std::string& text = need_text(arguments.positional[0]);
  const std::int64_t width = integer_or(arguments, 1, 79);
  if (width <= 0) refuse("the width of a wrapped text must be positive");
  const bool break_long = boolean_or(arguments, 2, true);
  const Value* wrap_value = given(arguments, 3);
  const std::string separator = wrap_value == nullptr || wrap_value->is(Tag::none) ? "\n" : need_text(*wrap_value);
  if (boolean_or(arguments, 4, true) && text.find('-') != std::string::npos) {
    refuse("wrapping a text with hyphens is not supported; use break_on_hyphens=false");
  }
  std::string out;
  bool first_line = true;
  for (const std::string_view line : split_lines(renderer.heap(), text, false)) {
    if (!first_line) out += separator;
    first_line = false;
    Wrapper wrapper(line, static_cast<std::size_t>(width), break_long);
    std::string wrapped;
    for (bool first = true; wrapper.next(wrapped); first = false) {
      out.append(first ? "" : separator).append(wrapped);
      renderer.heap().check_room(out.size());
    }
  }
  return renderer.text(std::move(out));
}

Value format_filter(Renderer& renderer, Arguments& arguments) {
  const Value text = soft_text(renderer, arguments.positional[0]);
  std::vector<Value> rest(arguments.positional.begin() + 1, arguments.positional.end());
  if (arguments.keywords.empty()) return format_percent(renderer.heap(), text, make_tuple(renderer.heap(), rest));
  if (!rest.empty()) refuse("format takes positional or named arguments, not both");
  Value keywords = make_dict(renderer.heap());
  for (const auto& [name, value] : arguments.keywords) keywords.dict().set(name, value);
  return format_percent(renderer.heap(), text, keywords);
}

Value string_filter(Renderer& renderer, Arguments& arguments) { return soft_text(renderer, arguments.positional[0]); }

constexpr FilterSpec filters[] = {
    {"upper", {"s", 1}, map_filter<to_upper>},
    {"lower", {"s", 1}, map_filter<to_lower>},
    {"capitalize", {"s", 1}, map_filter<capitalize>},
    {"title", {"s", 1}, map_filter<title_words>},
    {"trim", {"value chars", 1}, trim_filter},
    {"replace", {"s old new count", 3}, replace_filter},
    {"center", {"value width", 1}, center_filter},
    {"join", {"value d attribute", 1}, join_filter, Cost::own},
    {"indent", {"s width first blank", 1}, indent_filter},
    {"truncate", {"s length killwords end leeway", 1}, truncate_filter},
    {"wordcount", {"s", 1}, wordcount_filter},
    {"wordwrap", {"s width break_long_words wrapstring break_on_hyphens", 1}, wordwrap_filter},
    {"format", {"*"}, format_filter},
    {"string", {"/s", 1}, string_filter, Cost::own},
};

}  // namespace

FilterTable text_filters() { return {std::begin(filters), std::end(filters)}; }

}  // namespace ctxmgr::jinja
