#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/build/plan_values.hpp"
#include "engine/build/views.hpp"

namespace ctxmgr::engine {

/// What the stages after the plan look at. All of it outlives the call.
struct FillInput {
  const BuildInputs& inputs;
  const Prepared& prepared;
  const Layout& layout;
  const PlanOutcome& outcome;
  KnownThread& known;  ///< Searched again where a plan looks for something else than the question.
};

/// Stage 5. Puts texts where their items are shown: excerpts, older messages and artifacts into the block, results of
/// steps into the steps. What the texts leave of the room goes to passages of what the plan leaves open, and below summaries.
/// `texts` are those of the items to execute, in their order. Pure.
[[nodiscard]] Filled fill(const FillInput& input, std::vector<ProcessedText> texts);

/// Passages of what the plan leaves to the allocation, in so many tokens: into the texts, and of messages as the result.
/// `beside_summaries`: also below summaries. Pure.
[[nodiscard]] std::vector<SelectedText> share_room(const FillInput& input, std::int64_t tokens, bool beside_summaries,
                                                   std::vector<ProcessedText>& texts);

/// Lines for what is shortened or left out, the most relevant first, with how to read it, as far as the index has room.
/// Sets `not_listed`. Pure.
void fill_index(const FillInput& input, const References& references, Filled& filled);

/// The same item one rung down: what is whole or summarised becomes a smaller extract, and excerpts become fewer. Changes
/// texts and excerpts accordingly. nullopt: there is nothing smaller.
[[nodiscard]] std::optional<BlockEntry> smaller_entry(const FillInput& input, const BlockEntry& entry,
                                                      std::int64_t tokens_to_save, Filled& filled);

}  // namespace ctxmgr::engine
