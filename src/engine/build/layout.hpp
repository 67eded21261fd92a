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
#include "engine/build/artifact_set.hpp"
#include "engine/build/gather.hpp"
#include "engine/history/suffix.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/history/thread_head.hpp"
#include "engine/history/thread_state.hpp"

namespace ctxmgr::engine {

/// Everything that sharing the room depends on.
struct LayoutQuestion {
  const Context& context;
  ThreadAnalysis& thread;  ///< Its index grows as older messages leave the suffix.
  const Gathered& gathered;
  const ArtifactSet& artifacts;
  std::vector<std::int64_t> header_tokens{};  ///< Of each item, 0 where it is shown in the steps.
  std::vector<std::string> headers{};
  SuffixPlanner& suffixes;
  const TokenCounter& counter;
  const HistoryPolicy& policy;
  Pace& pace;  ///< Older messages are read while it allows.
  PlannerMode mode = PlannerMode::automatic;
  Embedder* embedder = nullptr;
  CallOptions call{};
  std::int64_t room = 0;                 ///< Tokens that the fixed parts leave.
  std::int64_t total_room = 0;           ///< The same, with what the question and the steps of this turn take.
  bool is_loop = false;                  ///< An agent works in it: there are tools, calls or observations.
  bool goes_on = false;                  ///< Something stands after the question: a later request will have more.
  std::int64_t index_tokens = 0;         ///< Reserved in the block where something is left out.
  std::int64_t overhead_tokens = 0;      ///< Of a block, whatever is in it.
  std::int64_t older_header_tokens = 0;  ///< Of the line above excerpts of older messages.
  Fingerprint question{};                ///< Of query and artifacts.
  std::optional<ThreadMemory> memory{};  ///< Of the build before, if it is this thread's and for this budget.
};

/// How the room is shared, and what the deterministic planner would put into the block.
struct Layout {
  Suffix suffix{};
  ThreadHead head{};                                 ///< What is sent before it.
  std::size_t compacted_at = 0;                      ///< So many messages there were at the last compaction.
  std::int64_t block_tokens = 0;                     ///< For the block, all of it.
  bool everything = false;                           ///< Nothing is cut, masked or shortened.
  bool same_question = false;                        ///< The block is made as in the build before.
  std::vector<std::optional<SelectedText>> items{};  ///< The deterministic view of each item; nullopt: left out.
  std::vector<double> relevance{};                   ///< Of each item.
  std::vector<std::size_t> repeats{};                ///< Items left out because others say the same, ascending.
  std::vector<SelectedText> older{};  ///< Excerpts of messages before the cut, or masked; `index` is the message.
  std::size_t hinted_by = 0;          ///< So many messages of the history said what the question refers to,
  std::vector<std::string> hints{};   ///< in these words.
  UsageMetadata embedder_usage{};
  std::string embedder_error{};
};

/// Shares the room: first the newest groups, then artifacts and older groups in one allocation by relevance, then what
/// is left extends the suffix. Cut and masks of the build before are kept for as long as they fit.
[[nodiscard]] Layout share_room(const LayoutQuestion& question);

/// Excerpts of what a suffix does not show whole, within so many tokens: where a plan wants others than the layout's.
[[nodiscard]] std::vector<SelectedText> excerpts_for(const std::string& query, std::int64_t tokens,
                                                     const Suffix& suffix, const LayoutQuestion& question);

}  // namespace ctxmgr::engine
