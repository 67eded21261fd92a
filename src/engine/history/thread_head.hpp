#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/history/suffix.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// One message that was cut and is sent nevertheless, because it says what the thread is for.
struct TaskMessage {
  std::size_t message = 0;
  bool whole = true;
  ConversationMessage as_sent{};
};

/// What is sent before a kept history of which something was cut: the task, and notes of what is gone. Made by a
/// compaction and the same until the next one.
struct ThreadHead {
  std::vector<TaskMessage> task{};  ///< Oldest first; without the question, unless that is shortened.
  std::optional<ConversationMessage> notes{};
  std::int64_t tokens = 0;  ///< Of both, beyond what the question takes whole.
};

/// What a head is made of: a function of this alone.
struct HeadInput {
  const std::vector<ConversationMessage>& history;
  ThreadAnalysis& thread;  ///< Reads names where notes are made, and remembers the last head.
  const TokenCounter& counter;
  std::optional<std::size_t> question{};  ///< Is sent whole, unless it was cut and takes more than its share.
  std::int64_t room = 0;                  ///< Tokens of all that is neither system message nor pin.
  double notes_share = 0.1;               ///< Of the room, in a loop; half as much again without one.
  bool is_loop = false;                   ///< An agent works in it.
  bool has_task = false;                  ///< Its task is sent although it was cut.
  MessageHandles* handles = nullptr;      ///< How what is gone can be read. May be null.
  std::size_t compacted_at = 0;           ///< So many messages there were when it was compacted.
};

/// What the notes may take.
[[nodiscard]] std::int64_t notes_tokens(const HeadInput& input);

/// The task of a thread that was cut there.
[[nodiscard]] ThreadHead make_task(const HeadInput& input, std::size_t cut);

/// What a thread that was cut there began with, where that is sent whole: the task of a single request, which has its question
/// besides, and finds the rest.
[[nodiscard]] ThreadHead make_beginning(const HeadInput& input, std::size_t cut);

/// Task and notes of a thread of which this was kept.
[[nodiscard]] ThreadHead make_head(const HeadInput& input, const Suffix& kept);

}  // namespace ctxmgr::engine
