#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/build/layout_values.hpp"
#include "engine/extracts/data_block.hpp"
#include "engine/history/fixed_parts.hpp"
#include "engine/history/suffix.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/history/thread_head.hpp"
#include "engine/history/tool_result_views.hpp"

namespace ctxmgr::engine {

/// What a list of messages is assembled from.
struct Parts {
  FixedParts fixed{};
  ThreadHead head{};
  Suffix suffix{};
  std::vector<ShownEvidence> evidence{};  ///< What a thread that goes on shows, in the order in which it was made.
  DataBlock block{};
  bool block_leads = false;  ///< It stands before the conversation: all documents are whole in it, and do not change.
  std::size_t skipped_steps = 0;
  std::vector<std::string> step_results{};  ///< One text for each result of the current steps.
};

/// What assembling looks at besides. All of it outlives the call.
struct AssemblySource {
  const Context& context;
  const ThreadAnalysis& thread;
  SuffixPlanner& suffixes;
  ToolResultViews& views;
  const TokenCounter& counter;
  std::optional<std::size_t> question{};
  const std::vector<std::size_t>* put_in = nullptr;  ///< Messages of the context that are not the host's, ascending.
};

/// The messages to send, and which of them are expected to be the same next time.
struct Assembly {
  std::vector<ConversationMessage> messages{};
  std::size_t leading = 0;   ///< Messages of instructions at the front.
  std::size_t stable = 0;    ///< Messages before the first that is made for this question.
  std::size_t included = 0;  ///< Messages of the history that the host gave.
  std::optional<std::size_t> notes_at{};
  std::vector<std::size_t> behind_at{};  ///< Places of what stands behind the notes.
  std::vector<std::size_t> evidence_at{};
  std::optional<std::size_t> block_at{};
  std::optional<std::size_t> steps_at{};
  std::optional<std::size_t> room_line_at{};  ///< The last message, where the model is told what is left.
};

/// Instructions, pins, the suffix in its own order with the block before the question, or in front of all, the current turn, its
/// steps.
[[nodiscard]] Assembly assemble(const Parts& parts, const AssemblySource& source);

/// What the parts count together, without assembling them.
[[nodiscard]] std::int64_t tokens_of(const Parts& parts, const AssemblySource& source);

/// Where the ladder gets a smaller view of a block entry from; nullopt: there is none, take the entry out.
using SmallerView = std::function<std::optional<BlockEntry>(const BlockEntry& entry, std::int64_t tokens_to_save)>;

/// Steps parts down until they count at most `max_input`: block entries from the last in `least_important_first`
/// to smaller views and then out, the index, older steps, images, the oldest groups. What cannot be shortened any more is
/// the fixed parts, which fit. Returns how many steps it took; 0 where all was well.
[[nodiscard]] std::size_t shrink_to(std::int64_t max_input, Parts& parts, const AssemblySource& source,
                                    const std::vector<std::size_t>& least_important_first, const SmallerView& smaller);

}  // namespace ctxmgr::engine
