#pragma once
#include <string>
#include <string_view>

#include "prompts/jinja/arguments.hpp"

namespace ctxmgr::jinja {

class Renderer;

/// A filter: its first argument is the value that it is applied to.
struct FilterSpec {
  std::string_view name;
  Parameters parameters;
  Value (*apply)(Renderer&, Arguments&);
  Cost cost = Cost::texts;
};

/// Null where there is none of that name.
[[nodiscard]] const FilterSpec* find_filter(std::string_view name);
/// A filter that jinja2 has and this engine does not.
[[nodiscard]] bool is_unsupported_filter(std::string_view name);
/// What to say of a name that `find_filter` does not know: jinja2's own filters are told from misspelt ones.
[[nodiscard]] std::string why_no_filter(std::string_view name);

/// A family of filters, in no particular order.
struct FilterTable {
  const FilterSpec* begin;
  const FilterSpec* end;
};
[[nodiscard]] FilterTable text_filters();
[[nodiscard]] FilterTable sequence_filters();
[[nodiscard]] FilterTable selection_filters();
[[nodiscard]] FilterTable number_filters();
[[nodiscard]] FilterTable markup_filters();

}  // namespace ctxmgr::jinja
