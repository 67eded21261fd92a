#include <algorithm>
#include <string>
#include <utility>

#include "core/worded.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/session/context_tools.hpp"
#include "engine/history/message_parts.hpp"
#include "engine/history/shortened_text.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {
namespace {

constexpr std::int64_t least_kept_tokens = 100;

Artifact artifact_of(const ConversationMessage& result) {
  Artifact artifact;
  artifact.artifact_id = "result_" + result.tool_call_id;
  artifact.artifact_type = ArtifactType::tool_result;
  artifact.content = engine::all_text_of(result);
  artifact.source = "tool_result:" + result.tool_call_id;
  if (result.created_at) artifact.timestamp = *result.created_at;
  if (!result.name.empty()) artifact.metadata["tool_name"] = result.name;
  return artifact;
}

/// What stands in the result's place, before its head and tail.
std::string note_of(std::int64_t tokens, const std::string& handle) {
  return worded("[a result of {} tokens, kept whole: {}]\n", tokens, handle);
}

void put_before(std::string note, ConversationMessage& message) {
  if (auto* const text = std::get_if<std::string>(&message.content)) {
    text->insert(0, note);
  } else if (auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content)) {
    parts->insert(parts->begin(), {PartKind::text, std::move(note), {}});
  }
}

}  // namespace

Result<ConversationMessage> offload(const ConversationMessage& result, ArtifactArchive& archive,
                                    const OffloadPolicy& policy, const CallOptions& call) {
  if (policy.kept_tokens < least_kept_tokens)
    return fail(ErrorCode::invalid_argument, "offload: kept_tokens has to be 100 or more");
  return guarded([&]() -> Result<ConversationMessage> {
    const auto counter = policy.token_counter ? policy.token_counter : make_approximate_token_counter();
    const Artifact artifact = artifact_of(result);
    if (counter->count_up_to(artifact.content, policy.over_tokens) <= policy.over_tokens) return result;
    const auto tokens = counter->count(artifact.content);
    const auto handle = archive.keep(artifact, call);
    if (!handle) return tl::unexpected(handle.error());
    auto shortened = engine::head_and_tail(result, policy.kept_tokens, *counter);
    if (!shortened) return result;  // Other parts alone are more; a build shortens it.
    put_before(note_of(tokens, *handle), *shortened);
    return std::move(*shortened);
  });
}

}  // namespace ctxmgr
