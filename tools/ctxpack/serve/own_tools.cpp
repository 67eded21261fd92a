#include "serve/own_tools.hpp"

#include <algorithm>
#include <utility>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/engine/tool_search.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/responses.hpp"
#include "serve/bounded_json.hpp"
#include "serve/streamed_message.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::ordered_json;

/// A tool's name, in the form of either service.
std::string name_of(const ordered_json& tool) {
  const auto* const function = member(tool, "function");
  return string_at(function != nullptr ? *function : tool, "name");
}

bool wants_several_answers(const ordered_json& request) {
  const auto* const n = member(request, "n");
  return n != nullptr && !n->is_null() && *n != 1;
}

/// "none", as a text or as an object's type.
bool wants_no_call(const ordered_json& request) {
  const auto* const choice = member(request, "tool_choice");
  if (choice == nullptr) return false;
  return string_at(request, "tool_choice") == "none" || string_at(*choice, "type") == "none";
}

std::string result_of(std::string name, std::string arguments, const OwnTools& tools,
                      const ctxmgr::CallOptions& options) {
  if (name == "set_context" && !tools.may_write)
    return "set_context is refused: this conversation has no name of its own, so nothing can be kept for it. Write "
           "what "
           "matters into your answer instead.";
  const bool name_is_search = name == ctxmgr::search_tools_name;
  ctxmgr::ToolCall tool_call;
  tool_call.id = "call";
  tool_call.name = std::move(name);
  tool_call.arguments_json = std::move(arguments);
  if (name_is_search) return ctxmgr::text_of(ctxmgr::run_search_tools(tools.searched, tool_call));
  return ctxmgr::text_of(tools.context->run(tool_call, options));
}

/// The model's turn with the calls of these tools alone, then a message for each result.
ordered_json openai_turn(const ordered_json& message, const OwnTools& tools, const ctxmgr::CallOptions& options) {
  ordered_json turn = ordered_json::array();
  const auto* const calls = member(message, "tool_calls");
  if (calls == nullptr || !calls->is_array()) return turn;
  ordered_json said = {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", ordered_json::array()}};
  for (const char* const field : {"content", "reasoning_content"}) {
    if (const auto* const text = member(message, field); text != nullptr && text->is_string()) said[field] = *text;
  }
  ordered_json results = ordered_json::array();
  for (const auto& call : *calls) {
    const auto* const function = member(call, "function");
    if (function == nullptr || !tools.handles(name_of(call))) continue;
    said["tool_calls"].push_back(call);
    results.push_back({{"role", "tool"},
                       {"tool_call_id", string_at(call, "id")},
                       {"content", result_of(name_of(call), string_at(*function, "arguments"), tools, options)}});
  }
  if (results.empty()) return turn;
  turn.push_back(std::move(said));
  for (auto& result : results) turn.push_back(std::move(result));
  return turn;
}

ordered_json anthropic_turn(const ordered_json& message, const OwnTools& tools, const ctxmgr::CallOptions& options) {
  ordered_json turn = ordered_json::array();
  const auto* const blocks = member(message, "content");
  if (blocks == nullptr || !blocks->is_array()) return turn;
  ordered_json said = ordered_json::array();
  ordered_json results = ordered_json::array();
  for (const auto& block : *blocks) {
    const bool is_call = string_at(block, "type") == "tool_use";
    if (is_call && !tools.handles(name_of(block))) continue;
    said.push_back(block);
    if (!is_call) continue;
    const auto* const input = member(block, "input");
    const auto result = result_of(name_of(block), input != nullptr ? text_of(*input) : "{}", tools, options);
    results.push_back({{"type", "tool_result"}, {"tool_use_id", string_at(block, "id")}, {"content", result}});
  }
  if (results.empty()) return turn;
  turn.push_back({{"role", "assistant"}, {"content", std::move(said)}});
  turn.push_back({{"role", "user"}, {"content", std::move(results)}});
  return turn;
}

/// The items of a response, but for calls of other tools, then the results.
ordered_json responses_turn(const ordered_json& response, const OwnTools& tools, const ctxmgr::CallOptions& options) {
  ordered_json turn = ordered_json::array();
  const auto* const items = member(response, "output");
  if (items == nullptr || !items->is_array()) return turn;
  ordered_json results = ordered_json::array();
  for (const auto& item : *items) {
    const auto call_id = string_at(item, "call_id");
    const bool is_ours = string_at(item, "type") == "function_call" && tools.handles(name_of(item));
    if (!is_ours && !call_id.empty()) continue;
    turn.push_back(item);
    if (!is_ours) continue;
    results.push_back({{"type", "function_call_output"},
                       {"call_id", call_id},
                       {"output", result_of(name_of(item), string_at(item, "arguments"), tools, options)}});
  }
  if (results.empty()) return results;
  for (auto& result : results) turn.push_back(std::move(result));
  return turn;
}

/// The message in an answer; null where there is none.
ordered_json message_in(Api api, const std::string& answer) {
  auto whole = read_json(answer);
  if (whole.is_discarded()) return streamed_message(api, answer);
  if (api != Api::openai) return whole;
  const auto* const choices = member(whole, "choices");
  if (choices == nullptr || !choices->is_array() || choices->size() != 1) return nullptr;
  const auto* const message = member(choices->front(), "message");
  return message != nullptr ? *message : ordered_json(nullptr);
}

ordered_json turn_of(Api api, const ordered_json& message, const OwnTools& tools, const ctxmgr::CallOptions& call) {
  switch (api) {
    case Api::anthropic: return anthropic_turn(message, tools, call);
    case Api::responses: return responses_turn(message, tools, call);
    case Api::openai: break;
  }
  return openai_turn(message, tools, call);
}

ordered_json definitions_of(Api api, const std::vector<ctxmgr::ToolDefinition>& tools) {
  auto all = read_json(api == Api::anthropic ? ctxmgr::to_anthropic_json(tools) : ctxmgr::to_openai_json(tools));
  if (api != Api::responses) return all;
  for (auto& tool : all) {
    ordered_json flat = {{"type", "function"}};
    flat.update(tool["function"]);
    tool = std::move(flat);
  }
  return all;
}

}  // namespace

bool OwnTools::handles(std::string_view name) const {
  if (name == ctxmgr::search_tools_name) return !searched.empty();
  return context && context->handles(name);
}

std::vector<ctxmgr::ToolDefinition> tools_of(Api api, const std::string& request) {
  const auto parsed = read_json(request);
  const auto* const tools = member(parsed, "tools");
  if (tools == nullptr || !tools->is_array() || wants_several_answers(parsed) || wants_no_call(parsed)) return {};
  const auto is_search = [](const ordered_json& tool) { return name_of(tool) == ctxmgr::search_tools_name; };
  if (std::any_of(tools->begin(), tools->end(), is_search)) return {};
  const ordered_json words = ordered_json::array({{{"role", "user"}, {"content", "."}}});
  const ordered_json alone = {{api == Api::responses ? "input" : "messages", words}, {"tools", *tools}};
  const auto text = text_of(alone);
  auto read = api == Api::anthropic   ? ctxmgr::parse_anthropic_request(text)
              : api == Api::responses ? ctxmgr::parse_responses_request(text)
                                      : ctxmgr::parse_openai_request(text);
  return read ? std::move(read->request.tools) : std::vector<ctxmgr::ToolDefinition>();
}

ordered_json* messages_of(Api api, ordered_json& request) {
  const char* const field = api == Api::responses ? "input" : "messages";
  if (!request.is_object() || !request.contains(field)) return nullptr;
  auto& list = request[field];
  if (api == Api::responses && list.is_string())
    list = ordered_json::array({{{"role", "user"}, {"content", std::move(list)}}});
  return list.is_array() ? &list : nullptr;
}

std::optional<std::string> add_tools(Api api, const std::string& request,
                                     const std::vector<ctxmgr::ToolDefinition>& tools) {
  auto grown = read_json(request);
  if (!grown.is_object() || wants_several_answers(grown) || wants_no_call(grown)) return std::nullopt;
  auto all = grown.value("tools", ordered_json());
  if (all.is_null()) all = ordered_json::array();
  if (!all.is_array()) return std::nullopt;
  const bool has_one = std::any_of(all.begin(), all.end(), [&](const ordered_json& own) {
    return std::any_of(tools.begin(), tools.end(), [&](const auto& tool) { return tool.name == name_of(own); });
  });
  if (has_one) return std::nullopt;
  for (auto& tool : definitions_of(api, tools)) all.push_back(std::move(tool));
  grown["tools"] = std::move(all);
  return text_of(grown);
}

std::optional<Round> answer_calls(Api api, const std::string& request, const std::string& answer, const OwnTools& tools,
                                  const ctxmgr::CallOptions& call) {
  Round round;
  round.turn = turn_of(api, message_in(api, answer), tools, call);
  if (round.turn.empty()) return std::nullopt;
  auto grown = read_json(request);
  auto* const messages = messages_of(api, grown);
  if (messages == nullptr) return std::nullopt;
  for (const auto& next : round.turn) messages->push_back(next);
  round.request = text_of(grown);
  return round;
}

}  // namespace ctxpack::serve
