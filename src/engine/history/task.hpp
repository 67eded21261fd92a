#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// A message of at least this share of the room says what the thread is for; a shorter one only besides.
inline constexpr double task_message_share = 0.02;
/// What it may take before head and tail stand for it.
inline constexpr double task_share = 0.7;
/// Of the room, the first message of a thread: what it began with.
inline constexpr double first_message_share = 0.1;
/// The most that a finished request may take and still be the task, unless the thread began with it. A pasted file that was
/// answered would fill every later request.
inline constexpr double finished_share = 0.25;
inline constexpr std::size_t most_short_messages = 3;

/// What stands for the task of a thread: user messages, oldest first.
struct TaskChoice {
  std::vector<std::size_t> messages{};
  std::vector<std::size_t> finished{};  ///< All other requests that were asked and answered, oldest first.
};

/// `asked`: what the user said, oldest first. The newest message that is long enough for a task, at most three shorter ones
/// behind it, and the first; of others that are finished the newest long one alone, unless it is too long.
/// `finished`: whether each of them is. Pure.
[[nodiscard]] TaskChoice choose_task(const std::vector<std::size_t>& asked, std::int64_t room,
                                     const std::function<std::int64_t(std::size_t)>& tokens_of,
                                     const std::vector<bool>& finished);

/// Those of the messages that a later one of them follows on an answer without a call, and says more than to go on.
[[nodiscard]] std::vector<bool> finished_requests(const std::vector<ConversationMessage>& history,
                                                  const std::vector<std::size_t>& asked);

}  // namespace ctxmgr::engine
