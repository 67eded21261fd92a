#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "engine/build/prepare.hpp"
#include "engine/history/thread_head.hpp"

namespace ctxmgr::engine {

/// Everything that sharing the room depends on. All of it outlives the layout.
struct LayoutInput {
  const BuildInputs& inputs;
  const Prepared& prepared;  ///< The search index of its thread grows as older messages leave the suffix.
  Pace& pace;                ///< They are read while it allows.
};

/// How the room is shared, and what the deterministic planner would put into the block.
struct Layout {
  Suffix suffix{};
  ThreadHead head{};              ///< What is sent before it.
  std::size_t compacted_at = 0;   ///< So many messages there were at the last compaction; 0: there was none.
  std::int64_t block_tokens = 0;  ///< For the block, all of it.
  bool everything = false;        ///< Nothing is cut, masked or shortened.
  Fingerprint turn{};             ///< Of query and artifacts,
  bool same_question = false;     ///< which are those of the build before: the block is made as there.
  std::vector<std::optional<SelectedText>> items{};  ///< The deterministic view of each item; nullopt: left out.
  std::vector<double> relevance{};                   ///< Of each item.
  std::vector<std::size_t> repeats{};                ///< Items left out because others say the same, ascending.
  std::vector<SelectedText> older{};  ///< Excerpts of messages before the cut, or masked; `index` is the message.
  std::size_t hinted_by = 0;          ///< So many messages of the history said what the question refers to,
  std::vector<std::string> hints{};   ///< in these words.
  std::size_t refetched = 0;          ///< Chosen texts of what was fetched again lately, which makes them worth more.
  UsageMetadata embedder_usage{};
  std::string embedder_error{};
};

/// Stage 2. Shares the room. A single request takes the newest turns, then evidence, then more history. A thread with a
/// build before keeps what was sent and grows at its end; where that is too much, one deep compaction makes room.
[[nodiscard]] Layout plan_layout(const LayoutInput& input);

}  // namespace ctxmgr::engine
