#include "ctxmgr/names.hpp"

#include "core/enum_tables.hpp"

namespace ctxmgr {

std::string_view to_string(Role value) { return enum_name(value); }

std::string_view to_string(Retention value) { return enum_name(value); }

std::string_view to_string(ToolRetention value) { return enum_name(value); }

std::string_view to_string(PartKind value) {
  switch (value) {
    case PartKind::text: return "text";
    case PartKind::image: return "image";
    case PartKind::file: return "file";
    case PartKind::other: return "other";
  }
  return "unknown";
}

std::string_view to_string(BrokenHistory value) {
  switch (value) {
    case BrokenHistory::refuse: return "refuse";
    case BrokenHistory::mend: return "mend";
  }
  return "unknown";
}

std::string_view to_string(ProcessingStrategy value) { return enum_name(value); }

std::string_view to_string(ContextUtilization value) { return enum_name(value); }

std::string_view to_string(PlanSource value) { return enum_name(value); }

std::string_view to_string(ArtifactType value) { return enum_name(value); }

std::string_view to_string(ContentFormat value) { return enum_name(value); }

std::string_view to_string(Trust value) { return enum_name(value); }

std::string_view to_string(ReasoningEventType value) { return enum_name(value); }

std::string_view to_string(ContextGoal value) { return enum_name(value); }

std::string_view to_string(ConversationStatus value) {
  switch (value) {
    case ConversationStatus::active: return "active";
    case ConversationStatus::archived: return "archived";
  }
  return "unknown";
}

std::string_view to_string(EmbeddingInput value) {
  switch (value) {
    case EmbeddingInput::query: return "query";
    case EmbeddingInput::passage: return "passage";
  }
  return "unknown";
}

std::string_view to_string(LlmPurpose value) {
  switch (value) {
    case LlmPurpose::host: return "host";
    case LlmPurpose::context_planning: return "context_planning";
    case LlmPurpose::summarization: return "summarization";
  }
  return "unknown";
}

std::string_view to_string(FinishReason value) {
  switch (value) {
    case FinishReason::stop: return "stop";
    case FinishReason::length: return "length";
    case FinishReason::tool_calls: return "tool_calls";
    case FinishReason::refusal: return "refusal";
    case FinishReason::other: return "other";
  }
  return "unknown";
}

std::string_view to_string(ArtifactView value) {
  switch (value) {
    case ArtifactView::none: return "none";
    case ArtifactView::extract: return "extract";
    case ArtifactView::dense: return "dense";
    case ArtifactView::full: return "full";
  }
  return "unknown";
}

std::string_view to_string(PlannerMode value) {
  switch (value) {
    case PlannerMode::automatic: return "automatic";
    case PlannerMode::llm: return "llm";
    case PlannerMode::deterministic: return "deterministic";
    case PlannerMode::none: return "none";
  }
  return "unknown";
}

std::string_view to_string(OversizedMessage value) {
  switch (value) {
    case OversizedMessage::fail: return "fail";
    case OversizedMessage::shrink: return "shrink";
  }
  return "unknown";
}

std::string_view to_string(OversizedPins value) {
  switch (value) {
    case OversizedPins::fail: return "fail";
    case OversizedPins::release: return "release";
  }
  return "unknown";
}

std::string_view to_string(Access value) {
  switch (value) {
    case Access::none: return "none";
    case Access::read: return "read";
    case Access::read_write: return "read_write";
  }
  return "unknown";
}

std::string_view to_string(ConversationContext value) {
  switch (value) {
    case ConversationContext::stateless: return "stateless";
    case ConversationContext::new_conversation: return "new_conversation";
    case ConversationContext::continuing: return "continuing";
  }
  return "unknown";
}

std::string_view to_string(CacheControl value) {
  switch (value) {
    case CacheControl::keep: return "keep";
    case CacheControl::place: return "place";
  }
  return "unknown";
}

}  // namespace ctxmgr
