#include "ctxmgr/core/json_text.hpp"

#include "core/json/types.hpp"

namespace ctxmgr {

Json parse_object(std::string_view text) {
  if (text.empty()) return nullptr;
  auto json = parse_json(text);
  return json && json->is_object() ? std::move(*json) : Json();
}

void merge_fields(Json& object, const Json& extra) {
  if (!extra.is_object()) return;
  auto& members = object.members();
  const std::size_t own = members.size();
  for (const auto& added : extra.members()) {
    const auto end = members.begin() + static_cast<std::ptrdiff_t>(own);
    const auto is_same = [&added](const auto& member) { return member.first == added.first; };
    if (std::find_if(members.begin(), end, is_same) == end) members.emplace_back(added.first, added.second);
  }
}

template <class Value>
std::string to_json(const Value& value) {
  return dump_json(write_json(value));
}

template <class Value>
Result<Value> from_json(std::string_view json) {
  return parse_json(json).and_then([](const Json& parsed) { return decode_json<Value>(parsed); });
}

#define CTXMGR_DEFINE_JSON(Value)                                       \
  template CTXMGR_API std::string to_json(const Value&);                \
  template CTXMGR_API Result<Value> from_json<Value>(std::string_view); \
  template CTXMGR_API std::string to_json(const std::vector<Value>&);   \
  template CTXMGR_API Result<std::vector<Value>> from_json<std::vector<Value>>(std::string_view);
CTXMGR_DEFINE_JSON(Artifact)
CTXMGR_DEFINE_JSON(ArtifactPlan)
CTXMGR_DEFINE_JSON(ArtifactUsageRecord)
CTXMGR_DEFINE_JSON(ContextUtilizationMetadata)
CTXMGR_DEFINE_JSON(ResponseMetadata)
CTXMGR_DEFINE_JSON(ConversationMessage)
CTXMGR_DEFINE_JSON(ReasoningStepRecord)
CTXMGR_DEFINE_JSON(ReasoningEvent)
CTXMGR_DEFINE_JSON(RequestAttachment)
CTXMGR_DEFINE_JSON(ToolDefinition)
CTXMGR_DEFINE_JSON(ToolRule)
CTXMGR_DEFINE_JSON(CompactionReport)
#undef CTXMGR_DEFINE_JSON

}  // namespace ctxmgr
