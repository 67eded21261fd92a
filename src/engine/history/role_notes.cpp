#include "engine/history/role_notes.hpp"

#include <algorithm>
#include <cstddef>

#include "core/message_number.hpp"
#include "core/worded.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_numbers = 6;  // The newest are named.

/// "messages of the user 4, 6, 8: <what>", or nothing.
void add_note(const std::vector<ConversationMessage>& messages, const std::vector<std::size_t>& of, const char* what,
              std::vector<std::string>& notes) {
  if (of.empty()) return;
  const auto first = of.size() - std::min(of.size(), most_numbers);
  std::string numbers = first == 0 ? "" : worded("{} older, ", first);
  for (auto i = first; i < of.size(); ++i)
    numbers += worded("{}{}", i == first ? "" : ", ", number_of(messages[of[i]], of[i]));
  notes.push_back(worded("messages of the user ({}): {}", numbers, what));
}

}  // namespace

std::vector<std::string> notes_of_roles(const std::vector<ConversationMessage>& messages, const ThreadRoles& roles) {
  std::vector<std::size_t> outputs;
  std::vector<std::size_t> repeats;
  std::vector<std::size_t> reminders;
  for (std::size_t i = 0; i < std::min(messages.size(), roles.size()); ++i) {
    if (messages[i].role != Role::user) continue;
    const auto role = roles.of(i);
    if (role == ThreadRole::observation)
      outputs.push_back(i);
    else if (role == ThreadRole::nudge)
      repeats.push_back(i);
    else if (roles.recurs(i))
      reminders.push_back(i);
  }
  std::vector<std::string> notes;
  add_note(messages, outputs, "taken for output of the commands that they answer", notes);
  add_note(messages, repeats, "each repeats the one before it and is not read again", notes);
  add_note(messages, reminders, "they recur and may be a program's reminders; none is taken for the task", notes);
  return notes;
}

}  // namespace ctxmgr::engine
