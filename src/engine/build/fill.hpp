#pragma once
#include <string>
#include <vector>

#include "engine/build/parts.hpp"
#include "engine/build/plan.hpp"

namespace ctxmgr::engine {

/// What is filled in, by item.
struct Filled {
  Parts parts{};
  std::vector<ProcessedText> texts{};    ///< Of every item; without text where it is left out.
  std::vector<SelectedText> excerpts{};  ///< Of messages: what the last item's text is made of, unless it is a summary.
};

/// How what is not sent whole can be read, by item; empty where it is not kept.
using References = std::vector<std::string>;

/// What the stages after the plan look at. All of it outlives the call.
struct FillInput {
  const BuildInputs& inputs;
  const Prepared& prepared;
  const Layout& layout;
  const PlanOutcome& outcome;
};

/// Stage 5. Puts texts where their items are shown: excerpts, older messages and artifacts into the block, results of
/// steps into the steps. `texts` are those of the items to execute, in their order. Pure.
[[nodiscard]] Filled fill(const FillInput& input, std::vector<ProcessedText> texts);

/// What is sent of an item; null where it is nothing but a line.
[[nodiscard]] const std::string* shown_text(const Filled& filled, const Item& item, std::size_t number);

/// Whether all of an item is sent.
[[nodiscard]] bool is_whole(const Filled& filled, const Item& item, std::size_t number);

/// Lines for what is shortened or left out, the most relevant first, with how to read it, as far as the index has room.
/// Sets `not_listed`. Pure.
void fill_index(const FillInput& input, const References& references, Filled& filled);

/// The same item one rung down: what is whole or summarised becomes a smaller extract, and excerpts become fewer. Changes
/// texts and excerpts accordingly. nullopt: there is nothing smaller.
[[nodiscard]] std::optional<BlockEntry> smaller_entry(const FillInput& input, const BlockEntry& entry,
                                                      std::int64_t tokens_to_save, Filled& filled);

}  // namespace ctxmgr::engine
