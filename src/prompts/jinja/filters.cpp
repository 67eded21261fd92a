#include "prompts/jinja/filters.hpp"

#include <algorithm>
#include <iterator>

namespace ctxmgr::jinja {
namespace {

/// jinja2's filters that no prompt is in need of.
constexpr std::string_view unsupported[] = {"attr",      "batch",  "center",    "filesizeformat", "format",
                                            "groupby",   "pprint", "random",    "slice",          "striptags",
                                            "urlencode", "urlize", "wordcount", "wordwrap",       "xmlattr"};

}  // namespace

const FilterSpec* find_filter(std::string_view name) {
  for (const FilterTable table :
       {text_filters(), sequence_filters(), selection_filters(), number_filters(), markup_filters()}) {
    const auto* found =
        std::find_if(table.begin, table.end, [name](const FilterSpec& filter) { return filter.name == name; });
    if (found != table.end) return found;
  }
  return nullptr;
}

bool is_unsupported_filter(std::string_view name) {
  return std::find(std::begin(unsupported), std::end(unsupported), name) != std::end(unsupported);
}

std::string why_no_filter(std::string_view name) {
  if (is_unsupported_filter(name)) return "the filter '" + std::string(name) + "' is not supported";
  return "no filter named '" + std::string(name) + "'";
}

}  // namespace ctxmgr::jinja
