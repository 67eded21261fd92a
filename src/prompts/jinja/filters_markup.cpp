#include <algorithm>
#include <iterator>

#include "engine/index/fence.hpp"
#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/filter_support.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/string_tools.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

Value escape_filter(Renderer& renderer, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  if (value.is(Tag::string) && value.string().markup) return value;
  return renderer.text(escape_html(to_str(renderer.heap(), value)), true);
}

Value forceescape_filter(Renderer& renderer, Arguments& arguments) {
  return renderer.text(escape_html(to_str(renderer.heap(), arguments.positional[0])), true);
}

Value safe_filter(Renderer& renderer, Arguments& arguments) {
  return renderer.text(to_str(renderer.heap(), arguments.positional[0]), true);
}

// Tags and comments go, white space becomes single spaces, the common entities become characters.
Value striptags_filter(Renderer& renderer, Arguments& arguments) {
  const std::string text = to_str(renderer.heap(), arguments.positional[0]);
  renderer.heap().step_text(text.size());
  std::string bare;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('<', at), text.size());
    bare.append(text, at, open - at);
    if (open == text.size()) break;
    const bool comment = text.compare(open, 4, "<!--") == 0;
    if (comment) refuse("stripping comments is not supported");
    const std::size_t close = text.find('>', open + 1);
    if (close == std::string::npos) {
      bare.append(text, open, std::string::npos);
      break;
    }
    at = close + 1;
  }
  std::string out;
  for (const std::string_view word : split(renderer.heap(), bare, "", -1))
    out.append(out.empty() ? "" : " ").append(word);
  Heap& heap = renderer.heap();
  static constexpr std::pair<std::string_view, std::string_view> entities[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&#34;", "\""}, {"&quot;", "\""}, {"&#39;", "'"}};
  for (const auto& [entity, character] : entities) out = replace_all(heap, out, entity, character, -1);
  const std::string without = replace_all(heap, out, "&amp;", "", -1);
  if (without.find('&') != std::string::npos) refuse("stripping these entities is not supported");
  return renderer.text(replace_all(heap, out, "&amp;", "&", -1));
}

std::string quote_url(std::string_view text, bool for_query) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (is_word(byte) || c == '.' || c == '-' || c == '~' || (c == '/' && !for_query));
    if (plain) {
      out += c;
    } else if (for_query && c == ' ') {
      out += '+';
    } else {
      out += '%';
      out += "0123456789ABCDEF"[byte >> 4U];
      out += "0123456789ABCDEF"[byte & 0xFU];
    }
  }
  return out;
}

Value urlencode_filter(Renderer& renderer, Arguments& arguments) {
  Heap& heap = renderer.heap();
  const Value& value = arguments.positional[0];
  if (value.is(Tag::string) || !is_iterable(value)) return renderer.text(quote_url(to_str(heap, value), false));
  const Value pairs = value.is(Tag::dict) ? Value::adopt(heap.make<ViewObject>(ViewKind::items, value)) : value;
  std::string out;
  for (const Value& pair : collect(heap, pairs)) {
    const auto items = collect(heap, pair);
    if (items.size() != 2) refuse("urlencode takes pairs");
    if (!out.empty()) out += '&';
    out += quote_url(to_str(heap, items[0]), true) + "=" + quote_url(to_str(heap, items[1]), true);
    heap.check_room(out.size());
  }
  return renderer.text(std::move(out));
}

Value xmlattr_filter(Renderer& renderer, Arguments& arguments) {
  Heap& heap = renderer.heap();
  const Value& value = arguments.positional[0];
  if (!value.is(Tag::dict)) refuse("xmlattr takes a mapping");
  std::string out;
  heap.step(value.dict().size());
  for (const auto& entry : value.dict().entries) {
    if (entry.value.is(Tag::none) || entry.value.is(Tag::undefined)) continue;
    if (need_text(entry.key).find_first_of(" \t\n\r\f\v/>=") != std::string::npos) {
      refuse("an invalid character in the name of an attribute");
    }
    const auto escaped = [&](const Value& text) {
      return text.is(Tag::string) && text.string().markup ? text.text() : escape_html(to_str(heap, text));
    };
    if (!out.empty()) out += ' ';
    out += escaped(entry.key) + "=\"" + escaped(entry.value) + "\"";
  }
  if (boolean_or(arguments, 1, true) && !out.empty()) out.insert(0, " ");
  return renderer.text(std::move(out));
}

void set_indent(JsonStyle& style, const Value* indent) {
  if (indent == nullptr || indent->is(Tag::none)) return;
  style.has_indent = true;
  style.item_separator = ",";
  if (indent->is(Tag::string)) {
    style.indent = indent->text();
    return;
  }
  const std::int64_t width = std::max<std::int64_t>(need_integer(*indent), 0);
  if (width > 1000) exceed("the indent is too wide");
  style.indent = std::string(static_cast<std::size_t>(width), ' ');
}

Value tojson_filter(Renderer& renderer, Arguments& arguments) {
  JsonStyle style;
  if (!renderer.settings().chat) {
    bind("tojson", {"value indent", 1}, arguments);
    set_indent(style, given(arguments, 1));
    return renderer.text(to_json_text(renderer.heap(), arguments.positional[0], style), true);
  }
  bind("tojson", {"x ensure_ascii indent separators sort_keys", 1}, arguments);
  style.html_safe = false;
  style.ascii_only = boolean_or(arguments, 1, false);
  style.sort_keys = boolean_or(arguments, 4, false);
  set_indent(style, given(arguments, 2));
  if (const Value* separators = given(arguments, 3); separators != nullptr && !separators->is(Tag::none)) {
    const auto parts = collect(renderer.heap(), *separators);
    if (parts.size() != 2) refuse("separators are a pair");
    style.item_separator = need_text(parts[0]);
    style.key_separator = need_text(parts[1]);
  }
  return renderer.text(to_json_text(renderer.heap(), arguments.positional[0], style));
}

// pprint breaks what is wider than 80 columns in ways of its own; what is narrower is written as by repr, keys sorted.
Value pprint_filter(Renderer& renderer, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  if (value.is(Tag::dict) || value.is_sequence()) {
    for (const Value& item : collect(renderer.heap(), value)) {
      if (!item.is_number() && !item.is(Tag::string) && !item.is(Tag::none))
        refuse("pprint of nested values is not supported");
    }
  }
  if (value.is(Tag::dict) && value.dict().size() > 1) refuse("pprint of a dict is not supported");
  const std::string text = to_repr(renderer.heap(), value);
  if (count_code_points(text) > 79) refuse("pprint of more than a line is not supported");
  return renderer.text(text);
}

Value data_filter(Renderer& renderer, Arguments& arguments) {
  const std::string text = to_str(renderer.heap(), arguments.positional[0]);
  renderer.heap().step_text(2 * text.size());  // a hash and a copy
  return renderer.text(engine::fenced("data", text, renderer.settings().fence_nonce));
}

constexpr FilterSpec filters[] = {
    {"escape", {"/s", 1}, escape_filter},
    {"e", {"/s", 1}, escape_filter},
    {"forceescape", {"value", 1}, forceescape_filter},
    {"safe", {"value", 1}, safe_filter},
    {"striptags", {"value", 1}, striptags_filter},
    {"urlencode", {"value", 1}, urlencode_filter},
    {"xmlattr", {"d autospace", 1}, xmlattr_filter},
    {"tojson", {"*"}, tojson_filter},
    {"pprint", {"value", 1}, pprint_filter},
    {"data", {"value", 1}, data_filter},
};

}  // namespace

FilterTable markup_filters() { return {std::begin(filters), std::end(filters)}; }

}  // namespace ctxmgr::jinja
