#include "ctxmgr/engine/tool_search.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/json/json.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "engine/tools/tool_ranking.hpp"
#include "engine/words/room_words.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t most_found = 5;

struct SearchArguments {
  std::string query{};
};

void read_json(JsonReader& in, const Json& json, SearchArguments& out) {
  if (!in.is_object(json)) return;
  in.required(json, "query", out.query);
}

}  // namespace

ToolDefinition search_tools_definition() {
  return {
      std::string(search_tools_name),
      "Finds more tools than are listed here. Say what has to be done; the definitions of the tools that fit best come "
      "back, and you can call those from then on.",
      R"({"type":"object","properties":{"query":{"type":"string","description":"What the tool has to do"}},)"
      R"("required":["query"]})"};
}

ToolDefinition compact_context_definition() {
  return {
      std::string(compact_context_name),
      "Shortens what is kept of this conversation: old results become a line each, with how to read them again. Call "
      "it when a piece of work is done and the next one does not need its details.",
      R"({"type":"object","properties":{}})"};
}

ConversationMessage answer_compact_context(const ToolCall& call) {
  ConversationMessage message{Role::tool, "Done: the conversation is compacted from the next request on."};
  message.tool_call_id = call.id;
  message.name = std::string(compact_context_name);
  return message;
}

ToolDefinition context_remaining_definition() {
  return {std::string(context_remaining_name),
          "Says how many tokens of this conversation are free before older messages are left out.",
          R"({"type":"object","properties":{}})"};
}

ConversationMessage answer_context_remaining(const ToolCall& call, const ContextUtilizationMetadata& receipt) {
  ConversationMessage message{Role::tool, engine::words_of_room(receipt.input_tokens_used, receipt.messages_limit)};
  message.tool_call_id = call.id;
  message.name = std::string(context_remaining_name);
  return message;
}

ConversationMessage run_search_tools(const std::vector<ToolDefinition>& tools, const ToolCall& call) {
  ConversationMessage message{Role::tool};
  message.tool_call_id = call.id;
  message.name = std::string(search_tools_name);
  const auto arguments =
      parse_json(call.arguments_json).and_then([](const Json& json) { return decode_json<SearchArguments>(json); });
  if (!arguments) {
    message.content = "Nothing was searched: " + arguments.error().message + R"(. Expected {"query": "what to do"}.)";
    return message;
  }
  std::vector<ToolDefinition> found;
  for (const std::size_t i : engine::rank_tools(tools, arguments->query, {}, Retriever(0)))
    if (found.size() < most_found && tools[i].name != search_tools_name) found.push_back(tools[i]);
  message.content = found.empty() ? "No tool has any of these words. Try others." : to_openai_json(found);
  return message;
}

}  // namespace ctxmgr
