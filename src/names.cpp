#include "core/enum_tables.hpp"
#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/budget.hpp"
#include "ctxmgr/core/context.hpp"
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
#include "engine/engine_enum_tables.hpp"
#include "ports/port_enum_tables.hpp"
#include "wire_enum_tables.hpp"

namespace ctxmgr {

template <>
struct EnumNames<Access> {
  static constexpr EnumName<Access> values[] = {
      {Access::none, "none"}, {Access::read, "read"}, {Access::read_write, "read_write"}};
};

template <>
struct EnumNames<ConversationContext> {
  static constexpr EnumName<ConversationContext> values[] = {
      {ConversationContext::stateless, "stateless"},
      {ConversationContext::new_conversation, "new_conversation"},
      {ConversationContext::continuing, "continuing"}};
};

template <>
struct EnumNames<CacheControl> {
  static constexpr EnumName<CacheControl> values[] = {{CacheControl::keep, "keep"}, {CacheControl::place, "place"}};
};

std::string_view to_string(Role value) { return enum_name(value); }

std::string_view to_string(Retention value) { return enum_name(value); }

std::string_view to_string(ToolRetention value) { return enum_name(value); }

std::string_view to_string(PartKind value) { return enum_name(value); }

std::string_view to_string(ProcessingStrategy value) { return enum_name(value); }

std::string_view to_string(ContextUtilization value) { return enum_name(value); }

std::string_view to_string(PlanSource value) { return enum_name(value); }

std::string_view to_string(NoteCode value) { return enum_name(value); }

std::string_view to_string(ArtifactType value) { return enum_name(value); }

std::string_view to_string(ContentFormat value) { return enum_name(value); }

std::string_view to_string(Trust value) { return enum_name(value); }

std::string_view to_string(ReasoningEventType value) { return enum_name(value); }

std::string_view to_string(ContextGoal value) { return enum_name(value); }

std::string_view to_string(ConversationStatus value) { return enum_name(value); }

std::string_view to_string(EmbeddingInput value) { return enum_name(value); }

std::string_view to_string(LlmPurpose value) { return enum_name(value); }

std::string_view to_string(FinishReason value) { return enum_name(value); }

std::string_view to_string(ArtifactView value) { return enum_name(value); }

std::string_view to_string(PlannerMode value) { return enum_name(value); }

std::string_view to_string(Oversized value) { return enum_name(value); }

std::string_view to_string(Access value) { return enum_name(value); }

std::string_view to_string(ConversationContext value) { return enum_name(value); }

std::string_view to_string(CacheControl value) { return enum_name(value); }

std::string_view to_string(WireForm value) { return enum_name(value); }

}  // namespace ctxmgr
