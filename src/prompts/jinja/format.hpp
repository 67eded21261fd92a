#pragma once
#include <string>
#include <string_view>

#include "prompts/jinja/value.hpp"

/// \file
/// How Python writes values.
namespace ctxmgr::jinja {

/// `digits` after the point, exactly rounded.
[[nodiscard]] std::string float_fixed(double value, int digits);

/// str(value). Refuses what has no stable text, such as generators, as the one below does.
[[nodiscard]] std::string to_str(Heap& heap, const Value& value);
void append_str(Heap& heap, const Value& value, std::string& out);

/// markupsafe's escape, on text.
[[nodiscard]] std::string escape_html(std::string_view text);

struct JsonStyle {
  bool ascii_only = true;
  bool sort_keys = true;
  bool html_safe = true;
  bool has_indent = false;
  std::string indent{};
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};
[[nodiscard]] std::string to_json_text(Heap& heap, const Value& value, const JsonStyle& style);

}  // namespace ctxmgr::jinja
