#include "engine/history/task.hpp"

#include <algorithm>
#include <string>

#include "core/ascii.hpp"
#include "engine/history/share.hpp"
#include "engine/words/asking.hpp"

namespace ctxmgr::engine {
namespace {

/// A request of so many bytes is one of its own, however long the one before it was.
constexpr std::uint64_t least_own_request = 400;

/// "Shall I go on?"
bool asks_back(std::string_view answer) {
  constexpr std::size_t longest_mark = 8;  // With a closing quote or bracket.
  answer = ascii::trimmed(answer);
  return has_question_mark(answer.substr(answer.size() - std::min(answer.size(), longest_mark)));
}

/// Whether the assistant ended its turn with the message before `next`, which is none of the user's.
bool follows_answer(const std::vector<ConversationMessage>& history, std::size_t request, std::size_t next) {
  const auto& before = history[next - 1];
  return next - 1 > request && before.role == Role::assistant && before.tool_calls.empty() &&
         !asks_back(text_of(before));
}

/// Whether a request begins a turn of its own: behind a reply, and not only to go on.
bool begins_turn(const std::vector<ConversationMessage>& history, std::size_t before, std::size_t request,
                 const ThreadRoles& roles) {
  return !roles.text_of_user(request).only_goes_on &&
         std::any_of(history.begin() + static_cast<std::ptrdiff_t>(before),
                     history.begin() + static_cast<std::ptrdiff_t>(request),
                     [](const ConversationMessage& message) { return message.role == Role::assistant; });
}

/// The most bytes of a request that one of these ends: the longest that is neither to go on nor a question beside it.
std::uint64_t ends_up_to(const RequestText& text) {
  if (text.only_goes_on || text.is_aside) return 0;
  return text.bytes >= least_own_request ? static_cast<std::uint64_t>(-1) : 2 * text.bytes;
}

}  // namespace

std::vector<RequestState> states_of_requests(const std::vector<ConversationMessage>& history,
                                             const std::vector<std::size_t>& requests, const ThreadRoles& roles) {
  std::vector<RequestState> states(requests.size(), RequestState::open);
  std::uint64_t ended_bytes = 0;       // What is asked in later turns ends a request of so many bytes,
  bool is_something_asked = false;     // and a question.
  std::size_t next = requests.size();  // The request that begins the next turn.
  for (std::size_t k = requests.size(); k-- > 0;) {
    if (k + 1 < requests.size() && begins_turn(history, requests[k], requests[k + 1], roles)) {
      for (auto later = k + 1; later < next; ++later) {
        const auto& text = roles.text_of_user(requests[later]);
        ended_bytes = std::max(ended_bytes, ends_up_to(text));
        is_something_asked = is_something_asked || !text.only_goes_on;
      }
      next = k + 1;
    }
    if (next == requests.size() || !follows_answer(history, requests[next - 1], requests[next])) continue;
    const auto& text = roles.text_of_user(requests[k]);
    const bool is_ended = text.is_aside ? is_something_asked : ended_bytes >= std::max<std::uint64_t>(1, text.bytes);
    states[k] = is_ended ? RequestState::finished : RequestState::answered;
  }
  return states;
}

std::vector<TaskRequest> choose_task(const std::vector<std::size_t>& requests, std::int64_t room,
                                     const std::function<std::int64_t(std::size_t)>& tokens_of,
                                     const std::vector<RequestState>& states) {
  if (requests.empty()) return {};
  std::vector<TaskRequest> chosen{{requests.front()}};
  const auto least = std::max<std::int64_t>(1, part(task_message_share, room));
  for (auto k = requests.size(); k-- > 1;) {
    const auto tokens = tokens_of(requests[k]);
    const bool is_large = tokens > part(answered_share, room);
    const bool is_spent = is_large && states[k] == RequestState::finished;
    if (tokens < least || is_spent) continue;
    chosen.push_back({requests[k], is_large && states[k] != RequestState::open});
    break;
  }
  if (chosen.back().message != requests.back()) chosen.push_back({requests.back()});
  return chosen;
}

}  // namespace ctxmgr::engine
