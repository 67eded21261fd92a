// JSON ingress: any bytes give a value or an error, and a value that was read is written and read again unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/core/model_catalog.hpp"

namespace {

template <class Value>
void check(std::string_view text) {
  const auto value = ctxmgr::from_json<Value>(text);
  if (!value) {
    if (value.error().code != ctxmgr::ErrorCode::invalid_argument) std::abort();
    if (value.error().message.find('\n') != std::string::npos) std::abort();
    return;
  }
  const std::string written = ctxmgr::to_json(*value);
  const auto again = ctxmgr::from_json<Value>(written);
  if (!again || ctxmgr::to_json(*again) != written) std::abort();
}

template <class Value>
void check_both(std::string_view text) {
  check<Value>(text);
  check<std::vector<Value>>(text);
}

void check_exports(std::string_view text) {
  using namespace ctxmgr;
  if (const auto messages = from_json<std::vector<ConversationMessage>>(text)) {
    const std::string exported = to_openai_json(*messages);
    const auto again = from_json<std::vector<ConversationMessage>>(exported);
    if (!again || to_openai_json(*again) != exported) std::abort();
  }
  if (const auto tools = from_json<std::vector<ToolDefinition>>(text)) {
    if (!from_json<std::vector<ToolDefinition>>(to_openai_json(*tools))) std::abort();
    if (!from_json<std::vector<ToolDefinition>>(to_anthropic_json(*tools))) std::abort();
  }
  if (const auto metadata = from_json<ContextUtilizationMetadata>(text)) (void)explain(*metadata);
  if (const auto catalog = ModelCatalog::parse(text)) (void)catalog->find("gpt-4o");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ctxmgr;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_both<Artifact>(text);
  check_both<ArtifactPlan>(text);
  check_both<ArtifactUsageRecord>(text);
  check_both<ContextUtilizationMetadata>(text);
  check_both<ResponseMetadata>(text);
  check_both<ConversationMessage>(text);
  check_both<ReasoningStepRecord>(text);
  check_both<ReasoningEvent>(text);
  check_both<RequestAttachment>(text);
  check_both<ToolDefinition>(text);
  check_exports(text);
  return 0;
}
