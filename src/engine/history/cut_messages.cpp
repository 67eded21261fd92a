#include "engine/history/cut_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ctxmgr::engine {
namespace {

/// Small enough to be read whole by a model, large enough that a long thread has few.
constexpr std::int64_t stretch_tokens = 2'000;

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

Artifact artifact_of_stretch(const std::vector<ConversationMessage>& messages, MessageRange stretch,
                             const std::function<std::string(std::size_t)>& header, MessageHandles& handles) {
  Artifact artifact;
  artifact.artifact_id = fmt::format("messages_{}_to_{}", stretch.first + 1, stretch.last);
  artifact.source = "history:" + artifact.artifact_id;
  artifact.artifact_type = ArtifactType::conversation;
  for (auto i = stretch.first; i < stretch.last; ++i) {
    if (messages[i].role == Role::system || messages[i].role == Role::developer) continue;  // Always sent.
    const auto handle = handles.is_large(i) ? handles.of(i) : std::string();
    artifact.content += header(i);
    artifact.content += messages[i].role == Role::tool ? ": " : " ";
    artifact.content += handle.empty() ? render_message(messages[i]) : handle;
    artifact.content += '\n';
  }
  return artifact;
}

}  // namespace ctxmgr::engine
