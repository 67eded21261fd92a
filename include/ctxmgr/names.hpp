#pragma once
#include <string_view>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/budget.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/core/tool_rules.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/session/context_store.hpp"
#include "ctxmgr/session/conversation.hpp"

/// \file
/// Enumerators by name, as they stand in the source, in receipts and in stores: for logs and messages. `ErrorCode`, `EventKind`
/// and `ProcessingStrategy` have theirs where they are defined, as have the enums of components. A value that is none of
/// the enum's is "unknown".
namespace ctxmgr {

[[nodiscard]] CTXMGR_API std::string_view to_string(Role value);
[[nodiscard]] CTXMGR_API std::string_view to_string(Retention value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ToolRetention value);
[[nodiscard]] CTXMGR_API std::string_view to_string(PartKind value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ContextUtilization value);
[[nodiscard]] CTXMGR_API std::string_view to_string(PlanSource value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ArtifactType value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ContentFormat value);
[[nodiscard]] CTXMGR_API std::string_view to_string(Trust value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ReasoningEventType value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ContextGoal value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ConversationStatus value);
[[nodiscard]] CTXMGR_API std::string_view to_string(EmbeddingInput value);
[[nodiscard]] CTXMGR_API std::string_view to_string(LlmPurpose value);
[[nodiscard]] CTXMGR_API std::string_view to_string(FinishReason value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ArtifactView value);
[[nodiscard]] CTXMGR_API std::string_view to_string(PlannerMode value);
[[nodiscard]] CTXMGR_API std::string_view to_string(Oversized value);
[[nodiscard]] CTXMGR_API std::string_view to_string(Access value);
[[nodiscard]] CTXMGR_API std::string_view to_string(ConversationContext value);
[[nodiscard]] CTXMGR_API std::string_view to_string(CacheControl value);

}  // namespace ctxmgr
