#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "engine/history/thread_roles.hpp"

namespace ctxmgr::engine {

/// A message of at least this share of the room is a task; a shorter one changes the task and is none.
inline constexpr double task_message_share = 0.03;
/// What it may take before head and tail stand for it.
inline constexpr double task_share = 0.5;
/// Of the room, the first message of a thread, where it is not the task: what it began with.
inline constexpr double first_message_share = 0.1;
/// The most that an answered request may take and still be the task, unless the thread began with it. A pasted file that was
/// answered would fill every later request.
inline constexpr double answered_share = 0.25;

/// What became of a request.
enum class RequestState : std::uint8_t {
  open,
  answered,  ///< The assistant ended its turn, but what the user said since may belong to the request: it may go on.
  finished,  ///< It was answered, and the user asked for something else.
};

struct TaskRequest {
  std::size_t message = 0;
  bool is_limited = false;  ///< It was answered and is long: head and tail within `answered_share` stand for it.

  friend bool operator==(const TaskRequest& a, const TaskRequest& b) {
    return a.message == b.message && a.is_limited == b.is_limited;
  }
};

/// The messages of the user that stand in every request of a thread: the first; the newest that is long enough for a task and not both
/// finished and too long; and the newest of all, which stays where it stands until the next compaction. Oldest first, each once.
/// `requests`: what the user wants, oldest first, and what became of each. Pure.
[[nodiscard]] std::vector<TaskRequest> choose_task(const std::vector<std::size_t>& requests, std::int64_t room,
                                                   const std::function<std::int64_t(std::size_t)>& tokens_of,
                                                   const std::vector<RequestState>& states);

/// A request is answered where the next one follows on an answer to it: the assistant ended its turn without a call and did not ask
/// back. One that was interrupted is never answered, whatever is answered behind it. It is finished where something else is asked
/// for then: not to go on, no question beside it, and nothing much shorter. What asks alone is finished by its answer.
[[nodiscard]] std::vector<RequestState> states_of_requests(const std::vector<ConversationMessage>& history,
                                                           const std::vector<std::size_t>& requests,
                                                           const ThreadRoles& roles);

}  // namespace ctxmgr::engine
