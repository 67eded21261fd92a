#pragma once
#include <cstdint>
#include <optional>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// What is sent whatever the plan: instructions, pins, calls that wait for their result, the question.
struct FixedParts {
  std::int64_t tokens = 0;                               ///< All of it, and the reply priming.
  std::optional<ConversationMessage> system_override{};  ///< It is sent in place of all instructions of the history.
  std::optional<ConversationMessage> shrunk_question{};  ///< It is sent in place of a question that does not fit whole.
};

/// `budget_exceeded`, with the figures, where they do not fit. Pure.
[[nodiscard]] Result<FixedParts> measure_fixed_parts(const Context& context, const ThreadAnalysis& thread,
                                                     std::optional<std::size_t> question,
                                                     std::optional<std::size_t> last_word, std::int64_t max_input,
                                                     Oversized oversized, const TokenCounter& counter);

/// Whether a fixed group gives way to the system prompt override.
[[nodiscard]] bool is_overridden(const Context& context, const Group& group);

}  // namespace ctxmgr::engine
