#pragma once
#include "core/enum_names.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr {

template <>
struct EnumNames<ConversationStatus> {
  static constexpr EnumName<ConversationStatus> values[] = {{ConversationStatus::active, "active"},
                                                            {ConversationStatus::archived, "archived"}};
};

template <>
struct EnumNames<EmbeddingInput> {
  static constexpr EnumName<EmbeddingInput> values[] = {{EmbeddingInput::query, "query"},
                                                        {EmbeddingInput::passage, "passage"}};
};

template <>
struct EnumNames<LlmPurpose> {
  static constexpr EnumName<LlmPurpose> values[] = {{LlmPurpose::host, "host"},
                                                    {LlmPurpose::context_planning, "context_planning"},
                                                    {LlmPurpose::summarization, "summarization"}};
};

template <>
struct EnumNames<FinishReason> {
  static constexpr EnumName<FinishReason> values[] = {{FinishReason::stop, "stop"},
                                                      {FinishReason::length, "length"},
                                                      {FinishReason::tool_calls, "tool_calls"},
                                                      {FinishReason::refusal, "refusal"},
                                                      {FinishReason::other, "other"}};
};

}  // namespace ctxmgr
