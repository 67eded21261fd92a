#include <algorithm>

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

Value data_filter(Renderer& renderer, Arguments& arguments) {
  const std::string text = to_str(renderer.heap(), arguments.positional[0]);
  renderer.heap().step_text(2 * text.size());  // a hash and a copy
  return renderer.text(engine::fenced("data", text, renderer.settings().fence_nonce));
}

constexpr FunctionSpec markup_table[] = {
    {"escape", {"/s", 1}, escape_filter, Cost::texts},
    {"e", {"/s", 1}, escape_filter, Cost::texts},
    {"forceescape", {"value", 1}, forceescape_filter, Cost::texts},
    {"safe", {"value", 1}, safe_filter, Cost::texts},
    {"tojson", {"*"}, tojson_filter, Cost::texts},
    {"data", {"value", 1}, data_filter, Cost::texts},
};

}  // namespace

FunctionTable markup_filters() { return markup_table; }

}  // namespace ctxmgr::jinja
