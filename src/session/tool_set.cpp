#include "ctxmgr/session/tool_set.hpp"

#include <iterator>
#include <string>
#include <utility>

#include "ctxmgr/engine/tool_search.hpp"
#include "ctxmgr/session/memory_tool.hpp"

namespace ctxmgr {
namespace {

ConversationMessage message_for(const ToolCall& call, std::string text) {
  ConversationMessage message{Role::tool, std::move(text)};
  message.tool_call_id = call.id;
  message.name = call.name;
  return message;
}

ConversationMessage run_memory(const ToolCall& tool_call, const MemoryOptions& memory, const CallOptions& call) {
  auto message = answer_memory_tool(tool_call, memory, call);
  return message ? *std::move(message)
                 : message_for(tool_call, "Error: the memory cannot be reached now. Go on without it.");
}

}  // namespace

std::vector<ToolDefinition> ToolSet::definitions() const {
  std::vector<ToolDefinition> all;
  if (context) all = context->definitions();
  if (has_room_tools) {
    all.push_back(context_remaining_definition());
    all.push_back(compact_context_definition());
  }
  if (memory) all.push_back(memory_tool_definition());
  return all;
}

bool ToolSet::handles(std::string_view tool_name) const {
  if (tool_name == search_tools_name) return !searched.empty();
  if (tool_name == memory_tool_name) return memory.has_value();
  if (tool_name == context_remaining_name || tool_name == compact_context_name) return has_room_tools;
  return context && context->handles(tool_name);
}

ConversationMessage ToolSet::run(const ToolCall& tool_call, const ContextUtilizationMetadata& receipt,
                                 const CallOptions& call) const {
  const auto& name = tool_call.name;
  if (!handles(name)) return message_for(tool_call, "Error: there is no such tool. Use one of those that are listed.");
  if (name == search_tools_name) return run_search_tools(searched, tool_call);
  if (name == memory_tool_name) return run_memory(tool_call, *memory, call);
  if (name == context_remaining_name) return answer_context_remaining(tool_call, receipt);
  if (name == compact_context_name) return answer_compact_context(tool_call);
  return context->run(tool_call, call);
}

}  // namespace ctxmgr
