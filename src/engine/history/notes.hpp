#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/history/noted_summary.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// What notes of messages that are not shown are made of. All of it outlives the call.
struct NotesInput {
  const std::vector<ConversationMessage>& history;
  ThreadAnalysis& thread;  ///< Reads users' words and changes where notes are made.
  const TokenCounter& counter;
  std::size_t cut = 0;                          ///< Messages before this one are not shown.
  std::size_t compacted_at = 0;                 ///< So many messages there were at the compaction.
  std::int64_t room = 0;                        ///< What shares of single parts are shares of.
  std::int64_t limit = 0;                       ///< Tokens that the message may have.
  std::function<bool(std::size_t)> is_shown{};  ///< Whether a message before the cut is shown whole nevertheless.
  std::function<std::optional<std::string>(std::size_t)>
      task_text{};  ///< Its text as it is shown, whole or not, since it says what the thread is for.
  std::function<std::string(std::size_t, std::size_t)>
      reference_of{};                          ///< How the messages [first, last) can be read back.
  const std::vector<NotedSummary>& summaries;  ///< What a model wrote, newest last.
  bool only_words = false;  ///< Of a single request, which finds the rest: the user's words, in a chat his rules.
};

/// One message that says what is not shown: what the user said in it, which messages, what was done, and names. Each part has its
/// share of the room, and what it leaves goes to the names. nullopt where there is nothing to say, or no room.
[[nodiscard]] std::optional<ConversationMessage> make_notes(const NotesInput& input);

}  // namespace ctxmgr::engine
