#include "testing/sample_messages.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

namespace ctxmgr::testing {
namespace {

using std::string_literals::operator""s;

bool same(const ToolCall& a, const ToolCall& b) {
  return a.id == b.id && a.name == b.name && a.arguments_json == b.arguments_json && a.extra_json == b.extra_json;
}
bool same(const ContentPart& a, const ContentPart& b) {
  return a.kind == b.kind && a.text == b.text && a.json == b.json;
}
bool same(const ToolPrediction& a, const ToolPrediction& b) {
  return a.tool_name == b.tool_name && a.arguments_json == b.arguments_json && a.reasoning == b.reasoning;
}
bool same(const ToolResult& a, const ToolResult& b) {
  return a.tool_name == b.tool_name && a.success == b.success && a.result == b.result && a.error == b.error &&
         a.execution_time == b.execution_time;
}

bool same(const ReasoningStepRecord& a, const ReasoningStepRecord& b);

template <class T>
bool same_list(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

bool same(const ReasoningStepRecord& a, const ReasoningStepRecord& b) {
  return a.step_index == b.step_index && a.thought == b.thought && a.timestamp == b.timestamp &&
         same_list(a.tool_predictions, b.tool_predictions) && same_list(a.tool_results, b.tool_results);
}

bool same(const MessageContent& a, const MessageContent& b) {
  if (a.index() != b.index()) return false;
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&a)) {
    return same_list(*parts, std::get<std::vector<ContentPart>>(b));
  }
  return a.index() == 0 || std::get<std::string>(a) == std::get<std::string>(b);
}

}  // namespace

Timestamp at_ms(std::int64_t milliseconds) { return Timestamp(std::chrono::milliseconds(milliseconds)); }

std::string all_bytes() {
  std::string bytes;
  for (int i = 255; i >= 0; --i) bytes.push_back(static_cast<char>(i));
  return bytes + "tail";
}

const std::string unicode_text =
    "Ünïcödé 漢字 \U0001F469\u200D\U0001F680 \u202Ertl\u202C e\u0301 \uFFFD\uFEFF\0 ' \" \\ % _ \r\n\t"s;

ConversationMessage everything_set(const std::string& text) {
  ConversationMessage message{Role::assistant, std::vector<ContentPart>{}};
  message.content = std::vector<ContentPart>{{PartKind::text, text, R"({"cache_control": {"type": "ephemeral"}})"},
                                             {PartKind::image, "", R"({"type":"image_url",  "image_url":{"url":"u"}})"},
                                             {PartKind::file, "", R"({"type":"file"})"},
                                             {PartKind::other, "", R"({"type":"thinking","signature":"x"})"}};
  message.tool_calls = {{"call_1", "search" + text, "{not json " + text, R"({"extra": 1})"}, {"call_2", "f", "", ""}};
  message.tool_call_id = "id " + text;
  message.name = text;
  message.agent = text;
  message.retention = Retention::summarizable;
  message.created_at = at_ms(1'700'000'000'123);
  message.extra_json = "{ \"b\" : [1.0e5, null],  \"a\":\"" + text + "\" }";
  ReasoningStepRecord step;
  step.step_index = 7;
  step.thought = text;
  step.tool_predictions = {{"tool", "{\"q\":\"" + text + "\"}", "because " + text}};
  step.tool_results = {{"tool", true, text, "", std::chrono::milliseconds(1'234)},
                       {"tool", false, "", "failed: " + text, std::chrono::milliseconds(0)}};
  step.timestamp = at_ms(1'699'999'999'999);
  message.reasoning_steps = {step, {}};
  return message;
}

bool same_message(const ConversationMessage& a, const ConversationMessage& b) {
  const auto range = [](const ConversationMessage& m) {
    return m.summary_of ? std::pair(m.summary_of->first, m.summary_of->last) : std::pair<std::int64_t, std::int64_t>();
  };
  return a.role == b.role && same(a.content, b.content) && same_list(a.tool_calls, b.tool_calls) &&
         a.tool_call_id == b.tool_call_id && a.name == b.name && same_list(a.reasoning_steps, b.reasoning_steps) &&
         a.agent == b.agent && a.retention == b.retention && range(a) == range(b) && a.extra_json == b.extra_json;
}

}  // namespace ctxmgr::testing
