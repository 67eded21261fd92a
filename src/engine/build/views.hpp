#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/build/parts.hpp"
#include "engine/planning/execution.hpp"

/// What is shown of each item.
namespace ctxmgr::engine {

/// What is filled in, by item.
struct Filled {
  Parts parts{};
  std::vector<ProcessedText> texts{};    ///< One for each item; without text where it is left out.
  std::vector<SelectedText> excerpts{};  ///< Pieces of messages: the last item's text, unless that is a summary.
};

/// How each item that is not sent whole can be read; empty where it is not kept.
using References = std::vector<std::string>;

/// What is sent of an item; null where it is nothing but a line.
[[nodiscard]] const std::string* shown_text(const Filled& filled, const Item& item, std::size_t number);

/// Whether all of an item is sent.
[[nodiscard]] bool is_whole(const Filled& filled, const Item& item, std::size_t number);

/// What the excerpts that the layout chose take, a line end each.
[[nodiscard]] std::int64_t tokens_of_excerpts(const Layout& layout);

}  // namespace ctxmgr::engine
