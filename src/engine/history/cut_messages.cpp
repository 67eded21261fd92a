#include "engine/history/cut_messages.hpp"

#include <algorithm>

#include "core/message_number.hpp"
#include "core/worded.hpp"
#include "engine/extracts/artifact_title.hpp"
#include "engine/extracts/failed_result.hpp"
#include "engine/index/date_terms.hpp"
#include "engine/structure/call_line.hpp"
#include "engine/structure/text_command.hpp"

namespace ctxmgr::engine {
namespace {

/// Small enough to be read whole by a model, large enough that a long thread has few.
constexpr std::int64_t stretch_tokens = 2'000;

constexpr std::size_t longest_command = 120;

}  // namespace

std::vector<MessageRange> stretches_before(std::size_t cut, const ThreadAnalysis& thread) {
  std::vector<MessageRange> stretches;
  std::int64_t tokens = stretch_tokens;
  for (const auto& group : thread.groups()) {
    if (group.first >= cut) break;
    if (tokens >= stretch_tokens) {
      stretches.push_back({group.first, group.first});
      tokens = 0;
    }
    stretches.back().last = group.last;
    tokens += group.tokens;
  }
  return stretches;
}

Artifact older_messages(const std::vector<ConversationMessage>& history, std::size_t cut) {
  Artifact older;
  const auto first = history.front().sequence_number.value_or(1);
  const auto last = history[cut - 1].sequence_number.value_or(static_cast<std::int64_t>(cut));
  older.artifact_id = "history_" + std::to_string(first) + "_to_" + std::to_string(last);
  older.artifact_type = ArtifactType::conversation;
  older.source = "earlier conversation, messages " + std::to_string(first) + " to " + std::to_string(last);
  return older;
}

std::string piece_header(const std::vector<ConversationMessage>& messages, std::size_t message) {
  const auto number = number_of(messages[message], message);
  std::string header("[");
  header.append(std::to_string(number));
  if (messages[message].created_at) header.append(", ").append(day_of(*messages[message].created_at));
  header.append("]");
  if (const auto command = text_command_answered_by(messages, message); !command.empty())
    return header.append(" $ ").append(single_line(command, longest_command));
  if (messages[message].role != Role::tool) return header;
  const auto* call = call_answered_by(messages, message);
  header.append(" ").append(call == nullptr ? "tool" : short_call(call->name, call->arguments_json));
  if (is_failed_result(all_text_of(messages[message]))) header.append(", failed");
  return header;
}

Artifact artifact_of_stretch(const std::vector<ConversationMessage>& messages, MessageRange stretch,
                             MessageHandles& handles) {
  Artifact artifact;
  artifact.artifact_id = worded("messages_{}_to_{}", stretch.first + 1, stretch.last);
  artifact.source = "history:" + artifact.artifact_id;
  artifact.artifact_type = ArtifactType::conversation;
  for (auto i = stretch.first; i < stretch.last; ++i) {
    if (messages[i].role == Role::system || messages[i].role == Role::developer) continue;  // Always sent.
    const auto handle = handles.is_large(i) ? handles.of(i) : std::string();
    artifact.content += piece_header(messages, i);
    artifact.content += messages[i].role == Role::tool ? ": " : " ";
    artifact.content += handle.empty() ? render_message(messages[i]) : handle;
    artifact.content += '\n';
  }
  return artifact;
}

}  // namespace ctxmgr::engine
