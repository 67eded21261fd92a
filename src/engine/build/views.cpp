#include "engine/build/views.hpp"

#include <algorithm>

namespace ctxmgr::engine {

const std::string* shown_text(const Filled& filled, const Item& item, std::size_t number) {
  if (item.kind == ItemKind::step_result) {
    const auto& text = filled.parts.step_results[item.step_result];
    return text.empty() ? nullptr : &text;
  }
  const auto& entries = filled.parts.block.entries;
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [number](const BlockEntry& e) { return e.item == number; });
  return entry == entries.end() ? nullptr : &entry->text;
}

bool is_whole(const Filled& filled, const Item& item, std::size_t number) {
  return filled.texts[number].strategy == ProcessingStrategy::include_full &&
         shown_text(filled, item, number) != nullptr;
}

std::int64_t tokens_of_excerpts(const Layout& layout) {
  std::int64_t tokens = 0;
  for (const auto& excerpt : layout.older) tokens += excerpt.tokens + 1;
  return tokens;
}

}  // namespace ctxmgr::engine
