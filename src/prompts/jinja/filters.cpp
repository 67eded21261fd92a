#include "prompts/jinja/filters.hpp"

#include <algorithm>

namespace ctxmgr::jinja {

const FilterSpec* find_filter(std::string_view name) {
  for (const FilterTable table :
       {text_filters(), sequence_filters(), selection_filters(), number_filters(), markup_filters()}) {
    const auto* found =
        std::find_if(table.begin, table.end, [name](const FilterSpec& filter) { return filter.name == name; });
    if (found != table.end) return found;
  }
  return nullptr;
}

}  // namespace ctxmgr::jinja
