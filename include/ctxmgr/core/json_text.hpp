#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/core/tool_rules.hpp"

/// \file
/// JSON crosses the boundary of this library as text, so that no JSON library's types or versions do. The forms are
/// stable: fields are added, never renamed. `ctxmgr/json.hpp` adds conversions to and from nlohmann::json.
namespace ctxmgr {

/// JSON text of one of the types listed at the end of this file, or of a std::vector of one. Keys in a fixed order, no
/// white space: equal values give equal bytes. Invalid UTF-8 in a value becomes U+FFFD.
template <class Value>
[[nodiscard]] std::string to_json(const Value& value);

/// The reverse. Unknown fields are kept where the type has `extra_json`, and ignored elsewhere.
/// `invalid_argument` names the fault and its place: a JSON pointer, or line and column of malformed text. Wrong are bad
/// syntax or UTF-8, keys twice, wrong types, over 64 levels, and numbers out of range. An OpenAI chat message is a valid
/// `ConversationMessage`.
template <class Value>
[[nodiscard]] Result<Value> from_json(std::string_view json);

/// Messages as the `messages` array of an OpenAI chat request, imported fields unchanged. What only ctxmgr knows
/// (reasoning steps, sequence numbers, agents, retention) is left out.
[[nodiscard]] CTXMGR_API std::string to_openai_json(const std::vector<ConversationMessage>& messages);

/// Tools as the `tools` array of an OpenAI chat request, or of an Anthropic messages request.
[[nodiscard]] CTXMGR_API std::string to_openai_json(const std::vector<ToolDefinition>& tools);
[[nodiscard]] CTXMGR_API std::string to_anthropic_json(const std::vector<ToolDefinition>& tools);

#define CTXMGR_DECLARE_JSON(Value)                                             \
  extern template CTXMGR_API std::string to_json(const Value&);                \
  extern template CTXMGR_API Result<Value> from_json<Value>(std::string_view); \
  extern template CTXMGR_API std::string to_json(const std::vector<Value>&);   \
  extern template CTXMGR_API Result<std::vector<Value>> from_json<std::vector<Value>>(std::string_view);
CTXMGR_DECLARE_JSON(Artifact)
CTXMGR_DECLARE_JSON(ArtifactPlan)
CTXMGR_DECLARE_JSON(ArtifactUsageRecord)
CTXMGR_DECLARE_JSON(ContextUtilizationMetadata)
CTXMGR_DECLARE_JSON(ResponseMetadata)
CTXMGR_DECLARE_JSON(ConversationMessage)
CTXMGR_DECLARE_JSON(ReasoningStepRecord)
CTXMGR_DECLARE_JSON(ReasoningEvent)
CTXMGR_DECLARE_JSON(RequestAttachment)
CTXMGR_DECLARE_JSON(ToolDefinition)
CTXMGR_DECLARE_JSON(ToolRule)
CTXMGR_DECLARE_JSON(CompactionReport)
#undef CTXMGR_DECLARE_JSON

}  // namespace ctxmgr
