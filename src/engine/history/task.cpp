#include "engine/history/task.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/history/share.hpp"
#include "engine/words/asking.hpp"
#include "engine/words/names.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_words_to_go_on = 3;
constexpr std::size_t most_bytes_to_go_on = 24;  // Of scripts without blanks, too.

/// "Go on.", "yes", "weiter": who says only that wants what was asked before, not something new.
bool only_goes_on(std::string_view text) {
  if (text.size() > most_bytes_to_go_on || asks(text)) return false;
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    words += !is_blank && !in_word ? 1 : 0;
    in_word = !is_blank;
  }
  const auto names = names_in(text);
  return words <= most_words_to_go_on && std::none_of(names.begin(), names.end(), is_identifier);
}

}  // namespace

std::vector<bool> finished_requests(const std::vector<ConversationMessage>& history,
                                    const std::vector<std::size_t>& asked) {
  std::vector<bool> finished(asked.size(), false);
  for (std::size_t k = asked.size(); k-- > 1;) {
    const auto& before = history[asked[k] - 1];
    const bool is_answered = before.role == Role::assistant && before.tool_calls.empty() && asked[k] - 1 > asked[k - 1];
    if (!is_answered || only_goes_on(text_of(history[asked[k]]))) continue;
    std::fill_n(finished.begin(), k, true);
    break;
  }
  return finished;
}

TaskChoice choose_task(const std::vector<std::size_t>& asked, std::int64_t room,
                       const std::function<std::int64_t(std::size_t)>& tokens_of, const std::vector<bool>& finished) {
  TaskChoice choice;
  std::size_t shorter = 0;
  bool has_task = false;
  const auto least = std::max<std::int64_t>(1, part(task_message_share, room));
  for (auto message = asked.rbegin(); message != asked.rend(); ++message) {
    const bool is_finished = finished[static_cast<std::size_t>(asked.rend() - message) - 1];
    const auto tokens = tokens_of(*message);
    const bool is_spent = is_finished && *message != asked.front() && tokens > part(finished_share, room);
    const bool is_task = !has_task && tokens >= least && !is_spent;
    const bool is_first = *message == asked.front() && tokens <= part(first_message_share, room);
    const bool is_short = !has_task && !is_finished && shorter < most_short_messages;
    if (is_task || is_first || is_short) {
      choice.messages.push_back(*message);
      if (!is_task) ++shorter;
      has_task = has_task || is_task;
    } else if (is_finished) {
      choice.finished.push_back(*message);
    }
  }
  std::reverse(choice.messages.begin(), choice.messages.end());
  std::reverse(choice.finished.begin(), choice.finished.end());
  return choice;
}

}  // namespace ctxmgr::engine
