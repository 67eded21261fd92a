#include "serve/own_tools.hpp"

#include <algorithm>
#include <utility>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/engine/tool_search.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/responses.hpp"
#include "serve/bounded_json.hpp"
#include "serve/json_parts.hpp"
#include "serve/streamed_message.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::ordered_json;

/// A tool's name, in the form of either service.
std::string name_of(const ordered_json& tool) {
  const auto* const function = member(tool, "function");
  return string_at(function != nullptr ? *function : tool, "name");
}

/// Not where it wants several answers, or none that calls a tool: "none", as a text or as an object's type.
bool may_have_own(const Members& request) {
  const auto n = request.value("n");
  const auto choice = read_json(request.value("tool_choice"));
  const bool wants_no_call = choice == "none" || string_at(choice, "type") == "none";
  return (n.empty() || n == "1" || n == "null") && !wants_no_call;
}

std::string result_of(std::string name, std::string arguments, const OwnTools& tools,
                      const ctxmgr::CallOptions& options) {
  if (name == "set_context" && !tools.may_write)
    return "set_context is refused: this conversation has no name of its own, so nothing can be kept for it. Write "
           "what "
           "matters into your answer instead.";
  ctxmgr::ToolCall tool_call;
  tool_call.id = "call";
  tool_call.name = std::move(name);
  tool_call.arguments_json = std::move(arguments);
  static const ctxmgr::ContextUtilizationMetadata none;
  return ctxmgr::text_of(tools.set.run(tool_call, tools.receipt != nullptr ? *tools.receipt : none, options));
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
    if (function == nullptr || !tools.set.handles(name_of(call))) continue;
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
    if (is_call && !tools.set.handles(name_of(block))) continue;
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
    const bool is_ours = string_at(item, "type") == "function_call" && tools.set.handles(name_of(item));
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

/// Of an array, what stands between its brackets.
std::string elements_of(const ordered_json& list) {
  const auto text = text_of(list);
  return text.substr(1, text.size() - 2);
}

}  // namespace

bool can_answer_calls(const std::string& request) { return may_have_own(Members(request)); }

std::vector<ctxmgr::ToolDefinition> tools_of(Api api, const std::string& request) {
  const Members members(request);
  const auto list = members.value("tools");
  Elements tools(list);
  std::size_t count = 0;
  for (; const auto tool = tools.next(); ++count) {
    if (name_of(read_json(*tool)) == ctxmgr::search_tools_name) return {};
  }
  if (count == 0) return {};
  const std::string_view words = R"([{"role":"user","content":"."}])";
  const auto text = with_value(with_value("{}", api == Api::responses ? "input" : "messages", words), "tools", list);
  auto read = api == Api::anthropic   ? ctxmgr::parse_anthropic_request(text)
              : api == Api::responses ? ctxmgr::parse_responses_request(text)
                                      : ctxmgr::parse_openai_request(text);
  return read ? std::move(read->request.tools) : std::vector<ctxmgr::ToolDefinition>();
}

std::string list_of_messages(Api api, std::string_view request) {
  const auto list = value_in(request, api == Api::responses ? "input" : "messages");
  if (api == Api::responses && !list.empty() && list.front() == '"')
    return R"([{"role":"user","content":)" + std::string(list) + "}]";
  return std::string(list.empty() || list.front() != '[' ? std::string_view() : list);
}

std::string with_messages(Api api, std::string_view request, std::string_view list) {
  return with_value(request, api == Api::responses ? "input" : "messages", list);
}

std::optional<std::string> add_tools(Api api, const std::string& request,
                                     const std::vector<ctxmgr::ToolDefinition>& tools) {
  const Members members(request);
  if (list_of_messages(api, request).empty() || !may_have_own(members)) return std::nullopt;
  auto list = members.value("tools");
  if (list.empty() || list == "null") list = "[]";
  if (list.front() != '[') return std::nullopt;
  Elements all(list);
  while (const auto own = all.next()) {
    const auto name = name_of(read_json(*own));
    if (std::any_of(tools.begin(), tools.end(), [&](const auto& tool) { return tool.name == name; }))
      return std::nullopt;
  }
  return with_value(request, "tools", with_elements(list, elements_of(definitions_of(api, tools))));
}

std::optional<Round> answer_calls(Api api, const std::string& request, const std::string& answer, const OwnTools& tools,
                                  const ctxmgr::CallOptions& call) {
  Round round;
  round.turn = turn_of(api, message_in(api, answer), tools, call);
  if (round.turn.empty()) return std::nullopt;
  const auto messages = list_of_messages(api, request);
  if (messages.empty()) return std::nullopt;
  round.request = with_messages(api, request, with_elements(messages, elements_of(round.turn)));
  return round;
}

}  // namespace ctxpack::serve
