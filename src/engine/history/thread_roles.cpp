#include "engine/history/thread_roles.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_beginning = 200;

/// In lower case, runs of blanks as one.
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!ascii::is_blank(c)) {
      out += ascii::lower_case(c);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

/// Without digits besides. Answers that are numbers alone stay what they are.
std::string plain(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return !ascii::is_digit(c); });
  const bool only_digits = std::all_of(out.begin(), out.end(), ascii::is_blank);
  return only_digits ? std::string(text) : folded(out);
}

/// The mark of most scripts, the Arabic one, and that of full width.
bool has_question_mark(std::string_view text) {
  return text.find('?') != std::string_view::npos || text.find("\u061f") != std::string_view::npos ||
         text.find("\uff1f") != std::string_view::npos;
}

std::uint64_t hash_of(const std::string& text) { return static_cast<std::uint64_t>(std::hash<std::string>{}(text)); }

bool is_tag_character(char c) {
  return c == '_' || c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ascii::is_digit(c);
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

/// The last line of a text of several lines where it ends as prompts and frames do, behind a mark that no beginning has.
std::string ending_of(std::string_view text) {
  text = ascii::trimmed(text);
  const auto line = text.rfind('\n');
  if (line == std::string_view::npos || text.size() - line > longest_beginning) return {};
  constexpr std::string_view marks = "$#>)]}:";
  if (marks.find(text.back()) == std::string_view::npos) return {};
  return "\n" + plain(text.substr(line + 1));
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
  const auto hash = hash_of(plain(text));
  const auto family = join_family(beginning_of(text), hash, position);
  auto end = ending_of(text);
  const auto ending = end.empty() ? none : join_family(std::move(end), hash, position);
  const auto exact = hash_of(folded(text));
  const bool repeats_last = exact == std::exchange(last_said_, exact);
  const bool comes_again = !texts_.insert(exact).second;
  const bool is_question = has_question_mark(text);
  const auto [said, first] = said_.emplace(is_question ? exact : hash, static_cast<std::uint32_t>(sayings_.size()));
  if (first) sayings_.emplace_back();
  Saying& saying = sayings_[said->second];
  ++saying.messages;
  // "Fix #12", "fix #13" are two requests, unless a harness counts: then one of its numbers comes again.
  saying.comes_again = saying.comes_again || comes_again;
  if (first) saying.first = position;
  if (saying.messages >= 3 && saying.comes_again && user_messages_.front() != saying.first)
    saying.nudge_from = std::min(saying.nudge_from, position);
  const auto role = saying.comes_again ? ThreadRole::nudge : ThreadRole::asked;
  return {role, repeats_last, family, ending, said->second, is_question};
}

std::uint32_t ThreadRoles::join_family(std::string line, std::uint64_t hash, std::size_t position) {
  const auto [known, is_new] = family_of_line_.emplace(std::move(line), static_cast<std::uint32_t>(families_.size()));
  if (is_new) families_.push_back({0, hash, false, all});
  Family& family = families_[known->second];
  ++family.messages;
  family.varies = family.varies || hash != family.first;
  if (family.output_from == all && family.messages >= 3 && family.varies) {
    family.output_from = position;
    first_output_ = std::min(first_output_, position);
  }
  return known->second;
}

ThreadRole ThreadRoles::of(std::size_t message, std::size_t seen) const {
  const Entry& entry = entries_[message];
  const bool is_users = entry.role == ThreadRole::asked || entry.role == ThreadRole::nudge;
  // Where calls have results of their own, similar user messages are similar requests.
  const auto is_output = [&](std::uint32_t family) { return family != none && families_[family].output_from < seen; };
  if (is_users && first_call_ >= seen && (is_output(entry.family) || is_output(entry.ending)))
    return ThreadRole::observation;
  if (!is_users) return entry.role;
  // Without an agent there is no harness, and a harness does not ask: who asks again later wants to know again.
  if (!is_loop(seen) || entry.is_question) return entry.repeats_last ? ThreadRole::nudge : ThreadRole::asked;
  return sayings_[entry.saying].nudge_from < seen ? ThreadRole::nudge : entry.role;
}

std::vector<std::size_t> ThreadRoles::asked(std::size_t seen) const {
  std::vector<std::size_t> messages;
  std::copy_if(user_messages_.begin(), user_messages_.end(), std::back_inserter(messages),
               [&](std::size_t message) { return message < seen && of(message, seen) == ThreadRole::asked; });
  return messages;
}

std::optional<std::size_t> ThreadRoles::said_again(std::size_t seen) const {
  const auto behind = std::lower_bound(user_messages_.begin(), user_messages_.end(), seen);
  if (behind == user_messages_.begin()) return std::nullopt;
  const auto newest = *std::prev(behind);
  const bool is_harness = sayings_[entries_[newest].saying].nudge_from < seen;
  return of(newest, seen) == ThreadRole::nudge && !is_harness ? std::optional(newest) : std::nullopt;
}

}  // namespace ctxmgr::engine
