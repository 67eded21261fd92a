#include "serve/own_tools.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ctxmgr/core/json_text.hpp"
#include "serve/streamed_message.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string string_at(const ordered_json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto field = object.find(name);
  return field != object.end() && field->is_string() ? field->get<std::string>() : std::string();
}

const ordered_json* member(const ordered_json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto field = object.find(name);
  return field != object.end() ? &*field : nullptr;
}

/// A tool's name, in the form of either service.
std::string name_of(const ordered_json& tool) {
  const auto* const function = member(tool, "function");
  return string_at(function != nullptr ? *function : tool, "name");
}

bool wants_several_answers(const ordered_json& request) {
  const auto* const n = member(request, "n");
  return n != nullptr && !n->is_null() && *n != 1;
}

std::string result_of(const ordered_json& call, std::string name, std::string arguments,
                      const ctxmgr::ContextTools& tools, const ctxmgr::CallOptions& options) {
  ctxmgr::ToolCall tool_call;
  tool_call.id = string_at(call, "id");
  tool_call.name = std::move(name);
  tool_call.arguments_json = std::move(arguments);
  return ctxmgr::text_of(tools.run(tool_call, options));
}

/// The model's turn with the calls of these tools alone, then a message for each result.
ordered_json openai_turn(const ordered_json& message, const ctxmgr::ContextTools& tools,
                         const ctxmgr::CallOptions& options) {
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
                       {"content", result_of(call, name_of(call), string_at(*function, "arguments"), tools, options)}});
  }
  if (results.empty()) return turn;
  turn.push_back(std::move(said));
  for (auto& result : results) turn.push_back(std::move(result));
  return turn;
}

ordered_json anthropic_turn(const ordered_json& message, const ctxmgr::ContextTools& tools,
                            const ctxmgr::CallOptions& options) {
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
    const auto result = result_of(block, name_of(block), input != nullptr ? text_of(*input) : "{}", tools, options);
    results.push_back({{"type", "tool_result"}, {"tool_use_id", string_at(block, "id")}, {"content", result}});
  }
  if (results.empty()) return turn;
  turn.push_back({{"role", "assistant"}, {"content", std::move(said)}});
  turn.push_back({{"role", "user"}, {"content", std::move(results)}});
  return turn;
}

/// The message in an answer; null where there is none.
ordered_json message_in(Api api, const std::string& answer) {
  auto whole = ordered_json::parse(answer, nullptr, false);
  if (whole.is_discarded()) return streamed_message(api, answer);
  if (api == Api::anthropic) return whole;
  const auto* const choices = member(whole, "choices");
  if (choices == nullptr || !choices->is_array() || choices->size() != 1) return nullptr;
  const auto* const message = member(choices->front(), "message");
  return message != nullptr ? *message : ordered_json(nullptr);
}

}  // namespace

std::optional<std::string> add_tools(Api api, const std::string& request,
                                     const std::vector<ctxmgr::ToolDefinition>& tools) {
  auto grown = ordered_json::parse(request, nullptr, false);
  if (!grown.is_object() || wants_several_answers(grown)) return std::nullopt;
  auto all = grown.value("tools", ordered_json());
  if (all.is_null()) all = ordered_json::array();
  if (!all.is_array()) return std::nullopt;
  const bool has_one = std::any_of(all.begin(), all.end(), [&](const ordered_json& own) {
    return std::any_of(tools.begin(), tools.end(), [&](const auto& tool) { return tool.name == name_of(own); });
  });
  if (has_one) return std::nullopt;
  const auto added = api == Api::anthropic ? ctxmgr::to_anthropic_json(tools) : ctxmgr::to_openai_json(tools);
  for (auto& tool : ordered_json::parse(added)) all.push_back(std::move(tool));
  grown["tools"] = std::move(all);
  return text_of(grown);
}

std::optional<std::string> answer_calls(Api api, const std::string& request, const std::string& answer,
                                        const ctxmgr::ContextTools& tools, const ctxmgr::CallOptions& call) {
  const auto message = message_in(api, answer);
  auto turn = api == Api::anthropic ? anthropic_turn(message, tools, call) : openai_turn(message, tools, call);
  if (turn.empty()) return std::nullopt;
  auto grown = ordered_json::parse(request, nullptr, false);
  if (!grown.is_object() || !grown.contains("messages") || !grown["messages"].is_array()) return std::nullopt;
  for (auto& next : turn) grown["messages"].push_back(std::move(next));
  return text_of(grown);
}

}  // namespace ctxpack::serve
