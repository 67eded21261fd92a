#include "engine/history/thread_roles.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double task_share = 1.0 / 3;
constexpr double short_message_share = 0.02;   // of the room, for one
constexpr double short_messages_share = 0.05;  // for all of them
constexpr std::size_t longest_beginning = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Without digits, in lower case, runs of blanks as one. Answers that are numbers alone stay what they are.
std::string plain(std::string_view text) {
  std::string out;
  bool only_digits = true;
  for (const char c : text) {
    if (is_digit(c)) continue;
    only_digits = only_digits && is_blank(c);
    if (!is_blank(c)) {
      out += ascii::lower_case(c);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return only_digits ? std::string(text) : out;
}

bool is_tag_character(char c) {
  return c == '_' || c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

/// "<name" of a text that begins with a tag, else its first line; digits aside.
std::string beginning_of(std::string_view text) {
  text = ascii::trimmed(text);
  std::size_t end = 0;
  if (!text.empty() && text[0] == '<') {
    end = 1;
    while (end < text.size() && is_tag_character(text[end])) ++end;
  }
  if (end < 2) end = std::min(text.find('\n'), std::min(text.size(), longest_beginning));
  return plain(text.substr(0, end));
}

}  // namespace

void ThreadRoles::extend(const std::vector<ConversationMessage>& messages) {
  for (std::size_t i = entries_.size(); i < messages.size(); ++i) {
    const auto& message = messages[i];
    if (message.role == Role::tool || !message.tool_calls.empty()) first_call_ = std::min(first_call_, i);
    switch (message.role) {
      case Role::system:
      case Role::developer: entries_.push_back({ThreadRole::instruction}); break;
      case Role::assistant: entries_.push_back({ThreadRole::reply}); break;
      case Role::tool: entries_.push_back({ThreadRole::result}); break;
      case Role::user:
        user_messages_.push_back(i);
        entries_.push_back(read_user_message(message, i));
        break;
    }
  }
}

ThreadRoles::Entry ThreadRoles::read_user_message(const ConversationMessage& message, std::size_t position) {
  const auto text = text_of(message);
  const auto hash = static_cast<std::uint64_t>(std::hash<std::string>{}(plain(text)));
  const auto [known, is_new] =
      family_of_beginning_.emplace(beginning_of(text), static_cast<std::uint32_t>(families_.size()));
  if (is_new) families_.push_back({0, hash, false, all});
  Family& family = families_[known->second];
  ++family.messages;
  family.varies = family.varies || hash != family.first;
  if (family.output_from == all && family.messages >= 3 && family.varies) {
    family.output_from = position;
    ++families_of_observations_;
  }
  const bool repeats = !said_.insert(hash).second;
  return {repeats ? ThreadRole::nudge : ThreadRole::asked, known->second};
}

ThreadRole ThreadRoles::of(std::size_t message, std::size_t seen) const {
  const Entry& entry = entries_[message];
  const bool is_users = entry.role == ThreadRole::asked || entry.role == ThreadRole::nudge;
  // Where calls have results of their own, similar user messages are similar requests.
  if (is_users && first_call_ >= seen && families_[entry.family].output_from < seen) return ThreadRole::observation;
  return entry.role;
}

std::vector<std::size_t> ThreadRoles::asked(std::size_t seen) const {
  std::vector<std::size_t> messages;
  std::copy_if(user_messages_.begin(), user_messages_.end(), std::back_inserter(messages),
               [&](std::size_t message) { return message < seen && of(message, seen) == ThreadRole::asked; });
  return messages;
}

TaskChoice choose_task(const std::vector<std::size_t>& asked, std::int64_t room,
                       const std::function<std::int64_t(std::size_t)>& tokens_of) {
  TaskChoice choice;
  const auto share = [&](double part) { return part * static_cast<double>(room); };
  double whole = 0;
  double beside = 0;
  for (auto message = asked.rbegin(); message != asked.rend(); ++message) {
    const auto tokens = static_cast<double>(tokens_of(*message));
    if (!choice.shortened && whole + tokens <= share(task_share)) {
      whole += tokens;
      choice.whole.push_back(*message);
    } else if (tokens <= share(short_message_share) && beside + tokens <= share(short_messages_share)) {
      beside += tokens;
      choice.whole.push_back(*message);
    } else if (!choice.shortened) {
      choice.shortened = *message;
    }
  }
  std::reverse(choice.whole.begin(), choice.whole.end());
  return choice;
}

}  // namespace ctxmgr::engine
