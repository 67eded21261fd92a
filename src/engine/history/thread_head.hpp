#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/history/message_handles.hpp"
#include "engine/history/thread_memo.hpp"

namespace ctxmgr::engine {

/// One message that was cut and is sent nevertheless, because it says what the thread is for.
struct TaskMessage {
  std::size_t message = 0;
  bool whole = true;
  bool leads =
      false;  ///< It stands before the notes, and never moves: what the thread began with. Others stand behind them.
  ConversationMessage as_sent{};
  std::int64_t tokens = 0;
};

/// What is sent before a kept history of which something was cut: the task, and notes of what is gone. Made by a
/// compaction and the same until the next one.
struct ThreadHead {
  std::vector<TaskMessage> task{};  ///< Messages of the task, oldest first.
  std::optional<ConversationMessage> notes{};
  std::vector<std::size_t> kept{};            ///< First messages of groups that the host keeps whole.
  std::vector<ConversationMessage> behind{};  ///< What stands behind the notes: states of tools, the host's text.
  std::int64_t tokens = 0;                    ///< What all of it counts.
};

/// What a head is made of: a function of this alone.
struct HeadInput {
  const std::vector<ConversationMessage>& history;
  ThreadAnalysis& thread;  ///< Reads names where notes are made.
  ThreadMemo& memo;        ///< It remembers the last head.
  const TokenCounter& counter;
  std::int64_t room = 0;                  ///< Tokens of all that was neither system message nor pin at the compaction.
  bool has_task = false;                  ///< The task is sent although it was cut.
  std::int64_t most_task = 0;             ///< What one message of the task may take.
  std::int64_t most_notes = 0;            ///< What the notes may take.
  MessageHandles* handles = nullptr;      ///< How what is gone can be read. May be null.
  std::size_t compacted_at = 0;           ///< So many messages there were when it was compacted.
  std::vector<std::size_t> kept{};        ///< First messages of groups that are sent whole although they were cut.
  std::vector<NotedSummary> summaries{};  ///< Summaries of what was cut, newest last.
};

/// The task of a thread that was cut there, without notes: what was chosen, and a request that was made again.
[[nodiscard]] ThreadHead make_task(const HeadInput& input, std::size_t cut);

/// What a thread that was cut there began with, and what the user said else, in a chat his rules: the head of a single request, which
/// has its question besides, or a last message that asks nothing, and finds the rest.
[[nodiscard]] ThreadHead make_beginning(const HeadInput& input, std::size_t cut, std::optional<std::size_t> question,
                                        std::optional<std::size_t> last_word);

/// Task and notes of a thread that was cut there.
[[nodiscard]] ThreadHead make_head(const HeadInput& input, std::size_t cut);

}  // namespace ctxmgr::engine
