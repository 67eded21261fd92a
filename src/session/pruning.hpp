#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/summaries/client_calls.hpp"

namespace ctxmgr::session {

/// Rows of one agent, next to each other among its rows, that one summary is to stand for.
struct PruneRange {
  SequenceRange range{};
  std::string agent{};
  std::vector<ConversationMessage> messages{};  ///< Raw rows that are not covered yet, and summaries to be replaced.
  std::string text{};                           ///< What they say.
  std::int64_t tokens = 0;
  std::int64_t target_tokens = 0;
};

struct PrunePlan {
  std::vector<PruneRange> ranges{};  ///< Oldest first.
  std::int64_t tokens = 0;           ///< What later contexts read now counts.
};

struct PruneLimits {
  std::int64_t budget_tokens = 0;  ///< Something is done once a thread counts more.
  std::int64_t target_tokens = 0;  ///< Pruning goes on until no more than this is left.
  std::string agent{};             ///< Whose rows go last.
  std::size_t max_ranges = 40;     ///< A longer thread is summarised in longer stretches.
};

/// Which rows of a thread shall be summarised: see `Workflow::prune()`. Calls and their results are never split. No more
/// is summarised than the target wants, and summaries take a quarter of it at most and a fourteenth of the budget, the older
/// ones among them. Pure.
[[nodiscard]] PrunePlan plan_pruning(const std::vector<ConversationMessage>& rows, const PruneLimits& limits,
                                     const TokenCounter& counter);

/// Who writes summaries. Without a client nobody does.
struct SummaryWriter {
  LlmClient* client = nullptr;
  std::string model{};
  engine::CallListener listener{};
  std::string scope{};         ///< Whose data it is.
  std::size_t max_calls = 40;  ///< The longest ranges are summarised by so many calls; the rest is extracted.
  SummaryInstructions instructions{};
};

/// One text for each range: the writer's where its reply is of use, else an extract.
[[nodiscard]] std::vector<std::string> summarize_ranges(const std::vector<PruneRange>& ranges, const std::string& focus,
                                                        const SummaryWriter& writer, const TokenCounter& counter,
                                                        const CallOptions& call);

/// The row that stands for a range: the text, and the names that it does not say, with where they came from, so that what a
/// summariser leaves out is not lost, nor what it leaves out of its own summaries. In user role: what is made from data is data.
[[nodiscard]] ConversationMessage summary_row(const PruneRange& range, const std::string& text,
                                              const TokenCounter& counter);

}  // namespace ctxmgr::session
