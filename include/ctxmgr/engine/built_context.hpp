#pragma once
#include <cstddef>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr {

/// The messages to send, and how they came about.
struct BuiltContext {
  std::vector<ConversationMessage> messages{};  ///< Send these: at most `metadata.messages_limit`.
  std::vector<ToolDefinition> tools{};          ///< Send these, too: the request's, or those within `tools_budget`.
  ContextUtilizationMetadata metadata{};        ///< The receipt: figures and reasons, no content.
  ArtifactPlan plan{};                          ///< The plan that was carried out, after repair.
  ThreadState thread_state{};                   ///< Goes into `BuildRequest::thread_state` of the next build.
};

/// A model call that a build needs.
struct PendingCall {
  std::size_t id = 0;
  LlmRequest request{};
};

}  // namespace ctxmgr
