#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "engine/build/analysis_cache.hpp"
#include "engine/build/build_inputs.hpp"
#include "engine/build/gather.hpp"
#include "engine/history/fixed_parts.hpp"
#include "engine/history/message_handles.hpp"
#include "engine/history/suffix.hpp"
#include "engine/history/thread_state.hpp"
#include "engine/history/tool_result_views.hpp"
#include "engine/planning/budget.hpp"
#include "engine/tools/tool_choice.hpp"
#include "ports/deadline.hpp"
#include "ports/model_token_counter.hpp"

namespace ctxmgr::engine {

/// The analyses that a build works with: out of the cache while it runs. They grow; what stages hand on is const.
struct BorrowedAnalyses {
  AnalysisCache* cache = nullptr;
  std::string tokenizer{};
  std::unique_ptr<KnownThread> thread{};
  std::unique_ptr<ArtifactSet> artifacts{};

  /// For the next build; this one does without them then. What an exception interrupted may be half changed, and is not
  /// put back.
  void put_back();
};

/// Everything that takes part in a build, counted, and the room that there is for it. The stages after it change nothing
/// of it.
struct Prepared {
  ModelInfo model{};
  std::shared_ptr<const ModelTokenCounter> counter{};
  std::optional<PreviousBuild> previous{};  ///< The thread's build before; its layout counts for the same budget only.
  Gathered gathered{};
  ToolChoice tools{};
  TokenBudget budget{};
  FixedParts fixed{};
  std::unique_ptr<MessageHandles> handles{};
  std::unique_ptr<ToolResultViews> views{};
  std::unique_ptr<SuffixPlanner> suffixes{};
  std::size_t skipped_steps = 0;     ///< So many of the oldest; their results are artifacts like others.
  std::int64_t room = 0;             ///< Tokens that fixed parts and steps leave.
  std::int64_t total_room = 0;       ///< Tokens that there would be without the question and the steps of this turn.
  std::int64_t index_tokens = 0;     ///< The part of the room that the index of what can be read has.
  std::int64_t overhead_tokens = 0;  ///< What a block counts, whatever is in it.
  std::int64_t older_header_tokens = 0;  ///< What the line above a summary of older messages counts.
  bool pins_gave_way = false;            ///< Other pins gave way than for the build before.
  MessageShape shape{};                  ///< The shape of the list that is sent.
  Notes notes{};                         ///< What the receipt says of it.

  const ThreadAnalysis* read_thread = nullptr;  ///< The thread among the build's analyses.
  const ArtifactSet* read_artifacts = nullptr;  ///< The artifacts among them.

  [[nodiscard]] const ThreadAnalysis& thread() const { return *read_thread; }
  [[nodiscard]] const ArtifactSet& artifacts() const { return *read_artifacts; }
};

/// Counts as a build for this model does. `services` has to outlive it.
[[nodiscard]] std::shared_ptr<const ModelTokenCounter> counter_of(const BuildServices& services,
                                                                  const std::string& model);

/// Tokens of what the host sends beside messages and tools.
[[nodiscard]] std::int64_t tokens_beside(const BuildRequest& request, const TokenCounter& counter);

/// Stage 1. Reads, counts and measures what takes part. `invalid_argument` for input that no service would take,
/// `budget_exceeded` where the fixed parts do not fit. What there is no time to read by `pace` is not searched.
/// `analyses` outlive what is prepared.
[[nodiscard]] Result<Prepared> prepare(const BuildInputs& inputs, Pace& pace, BorrowedAnalyses& analyses);

}  // namespace ctxmgr::engine
