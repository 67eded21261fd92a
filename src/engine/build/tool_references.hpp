#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "engine/history/suffix.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// Tools whose definitions a service puts in where the message stands: Anthropic's `tool_reference`. OpenAI's `tool_search_output`
/// has them in itself. Pure.
[[nodiscard]] std::vector<std::string> tools_referred_to(const ConversationMessage& message);

/// First messages of groups before the cut in which a service's tool search loaded tools (Anthropic's `tool_reference`, OpenAI's
/// `tool_search_output`) that messages behind the cut still call, or that nobody has called yet: without them the model cannot call
/// those tools. Of each tool the newest, as far as `most` tokens and `count` groups allow. Ascending. Pure.
[[nodiscard]] std::vector<std::size_t> groups_that_load_tools(const std::vector<ConversationMessage>& history,
                                                              const ThreadAnalysis& thread,
                                                              const SuffixPlanner& suffixes, std::size_t cut,
                                                              std::int64_t most, std::size_t count);

}  // namespace ctxmgr::engine
