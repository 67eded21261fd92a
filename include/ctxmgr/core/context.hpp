#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/reasoning.hpp"

namespace ctxmgr {

/// The next task of the model. It decides whether breadth or detail is worth more.
enum class ContextGoal {
  planning,   ///< Deciding the next step: breadth first, previews and extracts will do.
  synthesis,  ///< Writing the answer: relevant texts in detail.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(ContextGoal value);

/// Everything an agent knows, before anything is chosen. A plain value that the host keeps and appends to.
struct Context {
  std::vector<ConversationMessage> conversation_history{};  ///< Oldest first; the question is its last user message.
  std::vector<ReasoningStepRecord> step_records{};          ///< Steps of the current turn that are not messages.
  std::vector<Artifact> artifacts{};                        ///< Attached to the request: documents and the like.
  ContextGoal goal = ContextGoal::synthesis;
  std::string system_prompt_override{};  ///< Not empty: replaces all system messages of the history.

  /// Only the `reasoning_steps` of this many newest messages become artifacts. Default: those of all messages.
  std::size_t max_historical_messages = static_cast<std::size_t>(-1);

  /// Artifacts of the current steps, then of the history, then the attached ones. Copies their contents.
  [[nodiscard]] CTXMGR_API std::vector<Artifact> all_artifacts() const;
};

}  // namespace ctxmgr
