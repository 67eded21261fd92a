#include "engine/history/thread_roles.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/ascii.hpp"
#include "engine/structure/text_command.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_frame = 200;  // bytes

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

std::uint64_t hash_of(const std::string& text) { return static_cast<std::uint64_t>(std::hash<std::string>{}(text)); }

bool is_tag_character(char c) {
  return c == '_' || c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ascii::is_digit(c);
}

/// Labels that programs put above output, without their colon.
bool is_output_label(std::string_view word) {
  constexpr std::array<std::string_view, 9> labels{"observation", "output", "result",   "results", "stdout",
                                                   "stderr",      "return", "response", "returned"};
  return std::any_of(labels.begin(), labels.end(),
                     [word](std::string_view label) { return ascii::equals_ignoring_case(word, label); });
}

/// "EXECUTION RESULT of [1]".
bool has_counted_bracket(std::string_view line) {
  const auto open = line.find('[');
  const auto close = line.find(']', open == std::string_view::npos ? line.size() : open);
  return close != std::string_view::npos && close > open + 1 &&
         std::all_of(line.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                     line.begin() + static_cast<std::ptrdiff_t>(close), ascii::is_digit);
}

/// The frame that a text begins with, digits aside: "<name" of a tag, else its first line where that stands in brackets or is a
/// label of output. People begin with a line of words, so that is no frame.
std::string beginning_of(std::string_view text) {
  text = ascii::trimmed(text);
  if (text.empty()) return {};
  if (text[0] == '<') {
    std::size_t end = 1;
    while (end < text.size() && is_tag_character(text[end])) ++end;
    return end < 2 ? std::string() : plain(text.substr(0, end));
  }
  const auto line = ascii::trimmed(text.substr(0, text.find('\n')));
  if (line.size() > longest_frame) return {};
  const bool is_bracket = (line.front() == '[' && line.back() == ']') || (line.front() == '(' && line.back() == ')');
  const bool is_label =
      line.back() == ':' && (is_output_label(line.substr(0, line.size() - 1)) || has_counted_bracket(line));
  return is_bracket || is_label ? plain(line) : std::string();
}

/// The last line of a text of several lines where it is a prompt or stands in brackets, behind a mark that no beginning has. Code
/// ends in "}" or "main()", and a page in a tag: these are none.
std::string ending_of(std::string_view text) {
  text = ascii::trimmed(text);
  const auto begin = text.rfind('\n');
  if (begin == std::string_view::npos || text.size() - begin > longest_frame) return {};
  const auto line = ascii::trimmed(text.substr(begin + 1));
  const auto has_word = std::any_of(line.begin(), line.end(), ascii::is_letter);
  const bool is_prompt = line == "$" || line == ">>>" ||
                         (has_word && (line.back() == '$' || line.back() == '#' ||
                                       (line.back() == '>' && line.find('<') == std::string_view::npos)));
  const bool is_bracket = (line.front() == '[' && line.back() == ']') || (line.front() == '(' && line.back() == ')');
  return is_prompt || is_bracket ? "\n" + plain(line) : std::string();
}

/// The same words with another document or image say something else.
std::string with_other_parts(std::string text, const ConversationMessage& message) {
  if (const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content))
    for (const auto& part : *parts)
      if (part.kind != PartKind::text) text.append("\n").append(part.json);
  return text;
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
        entries_.push_back(read_user_message(messages, i));
        break;
    }
  }
}

ThreadRoles::Entry ThreadRoles::read_user_message(const std::vector<ConversationMessage>& messages,
                                                  std::size_t position) {
  Entry entry;
  auto text = text_of(messages[position]);
  entry.text = read_request_text(text);
  const auto hash = hash_of(plain(text));
  auto begins = beginning_of(text);
  if (position > 0 && ends_in_command(messages[position - 1])) {
    auto ends = ending_of(text);
    if (!begins.empty() && forms_.count(begins) == 0) entry.family = join_family(std::move(begins), hash, position);
    if (!ends.empty()) entry.ending = join_family(std::move(ends), hash, position);
  } else if (!begins.empty() && family_of_line_.count(begins) == 0) {
    forms_.insert(std::move(begins));
  }
  // "Fix #12", "fix #13" are two requests, unless a harness counts: then one of its numbers comes again.
  const bool comes_again = !texts_.insert(hash_of(folded(text))).second;
  entry.saying = join_saying(hash, comes_again, position);
  auto said = with_other_parts(std::move(text), messages[position]);
  if (user_messages_.size() > 1 && said == last_said_) entry.role = ThreadRole::nudge;
  last_said_ = std::move(said);
  return entry;
}

std::uint32_t ThreadRoles::join_saying(std::uint64_t hash, bool comes_again, std::size_t position) {
  const auto [said, is_new] = said_.emplace(hash, static_cast<std::uint32_t>(sayings_.size()));
  if (is_new) sayings_.emplace_back();
  Saying& saying = sayings_[said->second];
  ++saying.messages;
  saying.comes_again = saying.comes_again || comes_again;
  if (is_new) saying.first = position;
  if (saying.messages >= 3 && saying.comes_again && user_messages_.front() != saying.first)
    saying.recurs_from = std::min(saying.recurs_from, position);
  return said->second;
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
  const auto is_output = [&](std::uint32_t family) { return family != none && families_[family].output_from < seen; };
  // Where calls have results of their own, similar user messages are similar requests.
  if (first_call_ >= seen && (is_output(entry.family) || is_output(entry.ending))) return ThreadRole::observation;
  return entry.role;
}

bool ThreadRoles::recurs(std::size_t message, std::size_t seen) const {
  const Entry& entry = entries_[message];
  const bool is_users = entry.role == ThreadRole::asked || entry.role == ThreadRole::nudge;
  return is_users && is_loop(seen) && !entry.text.has_question && sayings_[entry.saying].recurs_from < seen;
}

std::vector<std::size_t> ThreadRoles::asked(std::size_t seen) const {
  std::vector<std::size_t> messages;
  std::copy_if(user_messages_.begin(), user_messages_.end(), std::back_inserter(messages),
               [&](std::size_t message) { return message < seen && of(message, seen) == ThreadRole::asked; });
  return messages;
}

std::vector<std::size_t> ThreadRoles::requests(std::size_t seen) const {
  auto messages = asked(seen);
  messages.erase(std::remove_if(messages.begin(), messages.end(), [&](std::size_t i) { return recurs(i, seen); }),
                 messages.end());
  return messages;
}

std::optional<std::size_t> ThreadRoles::said_again(std::size_t seen) const {
  const auto behind = std::lower_bound(user_messages_.begin(), user_messages_.end(), seen);
  if (behind == user_messages_.begin()) return std::nullopt;
  const auto newest = *std::prev(behind);
  const bool is_again = of(newest, seen) == ThreadRole::nudge && !recurs(newest, seen);
  return is_again ? std::optional(newest) : std::nullopt;
}

}  // namespace ctxmgr::engine
