#include "engine/history/thread_evidence.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "core/message_number.hpp"
#include "engine/extracts/failed_result.hpp"
#include "engine/history/message_parts.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/history/trace.hpp"
#include "engine/structure/text_command.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_looked_at = 2'000;

/// "/srv/app/a.py" and "a.py" name one file; a folder names none of its files.
bool is_same_file(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  while (b.substr(0, 2) == "./") b.remove_prefix(2);
  if (b.empty() || a.size() < b.size() || a.substr(a.size() - b.size()) != b) return false;
  return a.size() == b.size() || a[a.size() - b.size() - 1] == '/';
}

bool share_a_file(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const auto& path) {
    return std::any_of(b.begin(), b.end(), [&path](const auto& other) { return is_same_file(path, other); });
  });
}

/// The message that called what a tool answers.
std::size_t caller_of(const std::vector<ConversationMessage>& messages, std::size_t result) {
  while (result > 0 && messages[result].role == Role::tool) --result;
  return result;
}

std::string signature_of(const ToolCall& call) { return call.name + "(" + call.arguments_json + ")"; }

/// "ok" behind the edits of two files says two things. What answers no call is a text by itself.
bool answer_one_call(const std::vector<ConversationMessage>& messages, std::size_t a, std::size_t b) {
  if (messages[a].role != Role::tool)
    return text_command_answered_by(messages, a) == text_command_answered_by(messages, b);
  const auto* first = call_answered_by(messages, a);
  const auto* second = call_answered_by(messages, b);
  return first != nullptr && second != nullptr && signature_of(*first) == signature_of(*second);
}

/// The files that a message shows or writes.
std::vector<std::string> files_of(const std::vector<ConversationMessage>& messages, std::size_t message) {
  std::vector<std::string> files;
  switch (messages[message].role) {
    case Role::assistant:
      for (const auto& call : messages[message].tool_calls)
        for (auto& path : changed_by(call)) files.push_back(std::move(path));
      return files;
    case Role::tool:
      if (const auto* call = call_answered_by(messages, message)) return files_named_by(*call);
      return files;
    case Role::user: return files_shown_by(text_command_answered_by(messages, message));
    default: return files;
  }
}

}  // namespace

NewerMessages::NewerMessages(const std::vector<ConversationMessage>& messages, std::size_t end)
    : messages_(messages), end_(std::min(end, messages.size())) {}

void NewerMessages::read() {
  is_read_ = true;
  for (auto i = end_ - std::min(end_, most_looked_at); i < end_; ++i) read_message(i);
}

void NewerMessages::read_message(std::size_t i) {
  if (messages_[i].role == Role::tool) {
    const auto* call = call_answered_by(messages_, i);
    if (call == nullptr) return;
    answers_[signature_of(*call)] = i;
    auto files = changed_by(*call);
    if (!files.empty() && !is_failed_result(all_text_of(messages_[i])))
      changes_.push_back({caller_of(messages_, i), i, std::move(files)});
  } else if (messages_[i].role == Role::user) {
    auto command = text_command_answered_by(messages_, i);
    if (command.empty()) return;
    if (auto files = changed_by_command(command); !files.empty()) changes_.push_back({i - 1, i, std::move(files)});
    answers_[std::move(command)] = i;
  }
}

std::optional<NewerMessage> NewerMessages::answered_again(std::size_t message) const {
  const auto* call = messages_[message].role == Role::tool ? call_answered_by(messages_, message) : nullptr;
  if (call == nullptr && messages_[message].role != Role::user) return std::nullopt;
  const auto newest =
      answers_.find(call != nullptr ? signature_of(*call) : text_command_answered_by(messages_, message));
  if (newest == answers_.end() || newest->second <= message) return std::nullopt;
  return NewerMessage{newest->second, false};
}

std::optional<NewerMessage> NewerMessages::changed_since(std::size_t message) const {
  if (changes_.empty() || changes_.back().message <= message) return std::nullopt;
  const auto files = files_of(messages_, message);
  if (files.empty()) return std::nullopt;
  for (auto change = changes_.rbegin(); change != changes_.rend() && change->message > message; ++change)
    if (change->result != message && share_a_file(change->files, files)) return NewerMessage{change->message, true};
  return std::nullopt;
}

std::optional<NewerMessage> NewerMessages::than(std::size_t message) {
  if (message >= end_) return std::nullopt;
  if (!is_read_) read();
  const auto again = answered_again(message);
  const auto changed = changed_since(message);
  return changed && (!again || changed->message > again->message) ? changed : again;
}

std::vector<std::size_t> times_said(const std::vector<ConversationMessage>& messages,
                                    const std::vector<std::size_t>& quoted, std::size_t end) {
  std::vector<std::size_t> times(quoted.size(), 1);
  std::unordered_map<std::size_t, std::vector<std::size_t>> by_size;
  for (std::size_t q = 0; q < quoted.size(); ++q) {
    const auto* text = std::get_if<std::string>(&messages[quoted[q]].content);
    if (text != nullptr && !text->empty()) by_size[text->size()].push_back(q);
  }
  for (std::size_t i = 0; i < std::min(end, messages.size()) && !by_size.empty(); ++i) {
    const auto* text = std::get_if<std::string>(&messages[i].content);
    const auto same_size = text == nullptr ? by_size.end() : by_size.find(text->size());
    if (same_size == by_size.end()) continue;
    for (const auto q : same_size->second)
      if (i != quoted[q] && messages[i].role == messages[quoted[q]].role &&
          *text == std::get<std::string>(messages[quoted[q]].content) && answer_one_call(messages, i, quoted[q]))
        ++times[q];
  }
  return times;
}

std::vector<QuoteMark> marks_of(const std::vector<ConversationMessage>& messages,
                                const std::vector<std::size_t>& quoted, std::size_t end) {
  const auto times = times_said(messages, quoted, end);
  NewerMessages newer(messages, end);
  std::vector<QuoteMark> marks;
  for (std::size_t i = 0; i < quoted.size(); ++i) marks.push_back({times[i], newer.than(quoted[i])});
  return marks;
}

std::string written(const QuoteMark& mark, const std::vector<ConversationMessage>& messages) {
  std::string text;
  if (mark.times > 1) text.append(", ").append(std::to_string(mark.times)).append(" times");
  if (!mark.newer || mark.newer->message >= messages.size()) return text;
  const auto number = std::to_string(number_of(messages[mark.newer->message], mark.newer->message));
  return text.append(mark.newer->changed ? " (changed in [" : " (again in [").append(number).append("])");
}

std::size_t ranges_of(const std::vector<ThreadEvidence>& evidence) {
  std::size_t count = 0;
  for (const auto& block : evidence)
    for (const auto& piece : block.pieces) count += piece.ranges.size();
  return count;
}

std::optional<std::vector<SelectedText>> texts_of(const ThreadEvidence& evidence,
                                                  const std::vector<ConversationMessage>& history) {
  std::vector<SelectedText> texts;
  for (const auto& piece : evidence.pieces) {
    if (piece.message >= history.size()) return std::nullopt;
    auto text = quoted(history[piece.message], piece.ranges);
    if (!text) return std::nullopt;
    texts.push_back({});
    texts.back().index = piece.message;
    texts.back().view = ArtifactView::extract;
    texts.back().spans = piece.ranges;
    texts.back().text = std::move(*text);
  }
  return texts;
}

}  // namespace ctxmgr::engine
