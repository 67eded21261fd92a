#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "core/json/json.hpp"
#include "core/json/part_forms.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

using Messages = std::vector<ConversationMessage>;

Messages import(std::string_view json) { return from_json<Messages>(json).value(); }

std::string import_error(std::string_view json) { return from_json<Messages>(json).error().message; }

TEST(JsonMessageTest, OpenAiMessagesComeBackAsTheyWere) {
  for (
      const char* json : {
          R"([{"role":"system","content":"s"},{"role":"developer","content":"d","name":"ops"}])",
          R"([{"role":"user","content":[{"type":"text","text":"t","cache_control":{"type":"ephemeral"}},)"
          R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}},)"
          R"({"type":"file","file":{"file_id":"f"}},{"type":"input_audio","input_audio":{"data":"","format":"wav"}}]}])",
          R"([{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",)"
          R"("function":{"name":"f","arguments":"{\"a\": 1}","x":1},"extra_content":{"google":{"thought_signature":"s"}}}],)"
          R"("reasoning_content":"hm","refusal":null}])",
          R"([{"role":"assistant","content":null,"tool_calls":[{"id":"c2","type":"custom",)"
          R"("custom":{"name":"f","input":"raw text"}},{"id":"c3","type":"later","payload":[1]}]}])",
          R"([{"role":"tool","content":"r","tool_call_id":"c1","is_error":true}])",
          R"([{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},)"
          R"({"type":"text","text":"x"},{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}]},)"
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"r"}]}]}])",
          R"([{"role":"user","content":[{"type":"input_text","text":"t"},{"untyped":[1.5,-0.0,1e300]}]},{"role":"user","content":[]}])",
      }) {
    EXPECT_EQ(nlohmann::json::parse(to_openai_json(import(json))), nlohmann::json::parse(json));
    EXPECT_EQ(to_openai_json(import(to_json(import(json)))), to_openai_json(import(json)));
  }
}

TEST(JsonMessageTest, FieldsFindTheirMembers) {
  const auto messages = import(
      R"([{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}},)"
      R"({"type":"thinking","thinking":"t"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{"}}]}])");
  const auto& parts = std::get<std::vector<ContentPart>>(messages[0].content);
  EXPECT_EQ(parts[0].kind, PartKind::text);
  EXPECT_EQ(parts[0].json, "");
  EXPECT_EQ(parts[1].kind, PartKind::image);
  EXPECT_EQ(parts[2].kind, PartKind::other);
  EXPECT_EQ(parts[2].json, R"({"type":"thinking","thinking":"t"})");
  EXPECT_EQ(messages[0].tool_calls[0].arguments_json, "{");
  EXPECT_EQ(messages[0].extra_json, "");
}

TEST(JsonMessageTest, AbsentContentIsExportedAsNull) {
  EXPECT_EQ(to_openai_json(import(R"([{"role":"assistant"}])")), R"([{"role":"assistant","content":null}])");
}

TEST(JsonMessageTest, ArgumentsGivenAsAnObjectBecomeTheirText) {
  const auto messages =
      import(R"([{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":[1]}}}]}])");
  EXPECT_EQ(messages[0].tool_calls[0].arguments_json, R"({"a":[1]})");
}

TEST(JsonMessageTest, WhatOnlyThisLibraryKnowsIsStoredButNotSent) {
  ConversationMessage message{Role::assistant, "done"};
  message.reasoning_steps = {{0, "t", {{"f", "{}", ""}}, {{"f", true, "r", "", {}}}, {}}};
  message.sequence_number = 7;
  message.agent = "writer";
  message.created_at = Timestamp(std::chrono::milliseconds(1500));
  message.retention = Retention::pinned;
  message.summary_of = SequenceRange{1, 5};
  EXPECT_EQ(to_openai_json(Messages{message}), R"([{"role":"assistant","content":"done"}])");
  const auto stored = from_json<ConversationMessage>(to_json(message)).value();
  EXPECT_EQ(stored.reasoning_steps.at(0).tool_results.at(0).result, "r");
  EXPECT_EQ(stored.sequence_number, 7);
  EXPECT_EQ(stored.agent, "writer");
  EXPECT_EQ(stored.created_at, message.created_at);
  EXPECT_EQ(stored.retention, Retention::pinned);
  EXPECT_EQ(stored.summary_of->last, 5);
  EXPECT_EQ(to_json(stored), to_json(message));
}

TEST(JsonMessageTest, StoredEventsBecomeSteps) {
  const auto messages = import(
      R"([{"role":"assistant","content":"a","reasoning_events":[{"type":"tool_result","step_iteration":2,)"
      R"("metadata":{"tool_results":[{"tool_name":"f","success":false,"error":"boom"}]}},{"type":"later"},7,{"type":"tool_result","step_iteration":"x"}]}])");
  ASSERT_EQ(messages[0].reasoning_steps.size(), 1U);
  EXPECT_EQ(messages[0].reasoning_steps[0].step_index, 1);
  EXPECT_EQ(messages[0].reasoning_steps[0].tool_results[0].error, "boom");
  EXPECT_EQ(messages[0].extra_json, "");
}

TEST(JsonMessageTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(import_error(R"({"role":"user"})"), "expected an array, found object");
  EXPECT_EQ(import_error(R"(["x"])"), "/0: expected an object, found string");
  EXPECT_EQ(import_error(R"([{"content":"x"}])"), "/0/role: expected a string, found null or nothing");
  EXPECT_EQ(import_error(R"([{"role":"robot"}])"), "/0/role: expected one of system developer user assistant tool");
  EXPECT_EQ(import_error(R"([{"role":"user","content":7}])"),
            "/0/content: expected a string or an array of parts, found number");
  EXPECT_EQ(import_error(R"([{"role":"user","content":["x"]}])"), "/0/content/0: expected an object, found string");
  EXPECT_EQ(import_error(R"([{"role":"user","content":[{"type":"text","text":1}]}])"),
            "/0/content/0/text: expected a string, found number");
  EXPECT_EQ(import_error(R"([{"role":"assistant","tool_calls":[{"id":"c","type":"function"}]}])"),
            "/0/tool_calls/0/function: expected an object, found null or nothing");
  EXPECT_EQ(import_error(R"([{"role":"user","sequence_number":1e400}])").substr(0, 19), "number out of range");
  EXPECT_EQ(import_error(R"([{"role":"user","sequence_number":99999999999999999999}])"),
            "/0/sequence_number: expected an integer of at most 64 bits");
}

TEST(JsonMessageTest, HostMadeTextThatIsNoJsonIsLeftOut) {
  ConversationMessage message{Role::user, std::vector<ContentPart>{{PartKind::other, "", "broken"}}};
  message.extra_json = "[1]";
  EXPECT_EQ(to_openai_json(Messages{message}), R"([{"role":"user","content":[]}])");
}

Json random_json(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 5);
  if (kind == 0) return nullptr;
  if (kind == 1) return *rc::gen::arbitrary<bool>();
  if (kind == 2) return *rc::gen::arbitrary<std::int64_t>();
  if (kind == 3) return *rc::gen::arbitrary<double>();
  if (kind == 4) return *rc::gen::string<std::string>();
  Json out = kind == 5 ? Json::array() : Json::object();
  const int size = *rc::gen::inRange(0, 4);
  for (int i = 0; i < size; ++i) {
    Json child = random_json(depth - 1);
    if (kind == 5) out.push_back(std::move(child));
    if (kind == 6) out["k" + std::to_string(*rc::gen::inRange(0, 50))] = std::move(child);
  }
  return out;
}

Json random_object() {
  Json out = Json::object();
  const int size = *rc::gen::inRange(0, 3);
  for (int i = 0; i < size; ++i) out["x" + std::to_string(*rc::gen::inRange(0, 9))] = random_json(3);
  return out;
}

Json random_part() {
  Json out = random_object();
  const std::string type =
      *rc::gen::elementOf(std::vector<std::string>{"text", "output_text", "image_url", "thinking", "tool_use"});
  out["type"] = type;
  if (type == "text" || type == "output_text") out["text"] = *rc::gen::string<std::string>();
  return out;
}

Json random_call() {
  Json out = random_object();
  out["id"] = "call_" + *rc::gen::string<std::string>();
  const bool is_custom = *rc::gen::arbitrary<bool>();
  out["type"] = is_custom ? "custom" : "function";
  Json body = random_object();
  body["name"] = *rc::gen::string<std::string>();
  body[is_custom ? "input" : "arguments"] = *rc::gen::string<std::string>();
  out[is_custom ? "custom" : "function"] = std::move(body);
  return out;
}

Json random_message() {
  Json out = random_object();
  out["role"] = *rc::gen::elementOf(std::vector<std::string>{"system", "developer", "user", "assistant", "tool"});
  const int kind = *rc::gen::inRange(0, 3);
  out["content"] = kind == 0 ? Json() : kind == 1 ? Json(*rc::gen::string<std::string>()) : Json::array();
  for (int i = *rc::gen::inRange(0, 3); kind == 2 && i > 0; --i) out["content"].push_back(random_part());
  const int calls = *rc::gen::inRange(0, 3);
  for (int i = 0; i < calls; ++i) out["tool_calls"].push_back(random_call());
  return out;
}

TEST(JsonMessageTest, AnyOpenAiMessageComesBackUnchanged) {
  EXPECT_TRUE(rc::check([] {
    Json messages = Json::array();
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) messages.push_back(random_message());
    const std::string text = dump_json(messages);
    const auto imported = from_json<Messages>(text);
    RC_ASSERT(imported.has_value());
    RC_ASSERT(nlohmann::json::parse(to_openai_json(*imported)) == nlohmann::json::parse(text));
    RC_ASSERT(to_json(from_json<Messages>(to_json(*imported)).value()) == to_json(*imported));
  }));
}

TEST(JsonMessageTest, CallsAndResultsOfTheOldFormAreRead) {
  const auto messages = from_json<std::vector<ConversationMessage>>(R"([{"role":"user","content":"a"},
      {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"x\":1}"}},
      {"role":"function","name":"f","content":"one"},
      {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
      {"role":"function","name":"f","content":"two"}])");
  ASSERT_TRUE(messages) << messages.error().message;
  EXPECT_EQ((*messages)[1].tool_calls.at(0).arguments_json, R"({"x":1})");
  EXPECT_EQ((*messages)[2].role, Role::tool);
  EXPECT_EQ((*messages)[2].tool_call_id, (*messages)[1].tool_calls[0].id);
  EXPECT_EQ((*messages)[4].tool_call_id, (*messages)[3].tool_calls.at(0).id);
  EXPECT_NE((*messages)[2].tool_call_id, (*messages)[4].tool_call_id);
  EXPECT_EQ(to_openai_json(*messages).find("function_call\""), std::string::npos) << "written in the form of today";
}

TEST(JsonMessageTest, WhereTheModelCalledIsKeptAndNotSent) {
  ConversationMessage message{Role::assistant,
                              std::vector<ContentPart>{forms::call_part("a"), {PartKind::text, "x", ""}}};
  message.tool_calls = {{"a", "f", "{}", ""}};
  const auto read = from_json<ConversationMessage>(to_json(message));
  ASSERT_TRUE(read) << read.error().message;
  const auto& parts = std::get<std::vector<ContentPart>>(read->content);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(forms::called_id(parts[0]), "a");
  EXPECT_EQ(to_openai_json({message}),
            R"([{"role":"assistant","content":[{"type":"text","text":"x"}],)"
            R"("tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}])");
}

TEST(JsonMessageTest, HalfASurrogatePairIsAReplacementCharacter) {
  EXPECT_EQ(text_of(from_json<ConversationMessage>(R"({"role":"user","content":"a\ud83d b"})").value()), "a\uFFFD b");
}

}  // namespace
}  // namespace ctxmgr
