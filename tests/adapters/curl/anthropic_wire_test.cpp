#include <gtest/gtest.h>

#include "adapters/curl/wire.hpp"
#include "adapters/curl/wire_testing.hpp"

namespace ctxmgr::wire {
namespace {

constexpr const char* anthropic_reply =
    R"({"type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":[
    {"type":"thinking","thinking":"hmm","signature":"sig"},{"type":"text","text":"Hi"},
    {"type":"tool_use","id":"tu_1","name":"f","input":{"a":1}}],
    "usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":3,"output_tokens":7}})";

Json anthropic_body(const LlmRequest& request, Delivery delivery = Delivery::whole) {
  return test::written(anthropic_messages, request, {"m", {}, delivery, ""});
}

TEST(AnthropicWireTest, HoistsSystemMessagesAndMergesNeighbours) {
  const auto body = anthropic_body(test::conversation());
  EXPECT_EQ(body["system"], Json::array({{{"type", "text"}, {"text", "Be brief."}}}));
  EXPECT_EQ(body["max_tokens"], 4096);
  const auto& messages = body["messages"];
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[1]["content"][0]["type"], "tool_use");
  EXPECT_EQ(messages[1]["content"][0]["input"], Json({{"q", "x"}}));
  EXPECT_EQ(messages[2]["content"][0]["type"], "tool_result");
  EXPECT_EQ(messages[2]["content"][0]["tool_use_id"], "call_1");
  EXPECT_EQ(messages[2]["content"][1]["text"], "Thanks.");
  EXPECT_EQ(body["tools"][0]["name"], "search");
}

TEST(AnthropicWireTest, CacheBreakpointsStandAtPartsOrMessages) {
  LlmRequest request;
  auto& system = request.messages.emplace_back();
  system.role = Role::system;
  system.content = std::vector<ContentPart>{{PartKind::text, "a", R"({"cache_control":{"type":"ephemeral"}})"}};
  auto& user = request.messages.emplace_back();
  user.content = "b";
  user.extra_json = R"({"cache_control":{"type":"ephemeral","ttl":"1h"}})";
  const auto body = anthropic_body(request);
  EXPECT_EQ(body["system"][0]["cache_control"]["type"], "ephemeral");
  EXPECT_EQ(body["messages"][0]["content"][0]["cache_control"]["ttl"], "1h");
}

TEST(AnthropicWireTest, ImagesChangeTheirShape) {
  LlmRequest request;
  request.messages.emplace_back().content = std::vector<ContentPart>{
      {PartKind::image, "", R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}})"},
      {PartKind::image, "", R"({"type":"image_url","image_url":{"url":"https://example.com/a.png"}})"}};
  const auto content = anthropic_body(request)["messages"][0]["content"];
  EXPECT_EQ(content[0]["source"], Json({{"type", "base64"}, {"media_type", "image/png"}, {"data", "AAAA"}}));
  EXPECT_EQ(content[1]["source"], Json({{"type", "url"}, {"url", "https://example.com/a.png"}}));
}

TEST(AnthropicWireTest, ArgumentsThatAreNoObjectAreShownToTheModel) {
  LlmRequest request;
  auto& message = request.messages.emplace_back();
  message.role = Role::assistant;
  message.tool_calls.push_back({"c", "f", "{broken", ""});
  message.tool_calls.push_back({"d", "f", "", ""});
  const auto content = anthropic_body(request)["messages"][0]["content"];
  EXPECT_EQ(content[0]["input"]["invalid_arguments"], "{broken");
  EXPECT_EQ(content[1]["input"], Json::object());
}

TEST(AnthropicWireTest, BlocksGoBackInTheOrderInWhichTheyCame) {
  const auto content = R"([{"type":"thinking","thinking":"x","signature":"s"},{"type":"text","text":"a"},
      {"type":"tool_use","id":"t1","name":"f","input":{}},{"type":"thinking","thinking":"y","signature":"s"},
      {"type":"tool_use","id":"t2","name":"f","input":{"a":1}}])";
  LlmRequest next;
  next.messages.push_back(
      test::read(anthropic_messages, (R"({"stop_reason":"tool_use","content":)" + std::string(content) + "}").c_str())
          .message);
  EXPECT_EQ(anthropic_body(next)["messages"][0]["content"], *parse_json(content));
}

TEST(AnthropicWireTest, AudioIsRefusedRatherThanSent) {
  LlmRequest request;
  request.messages.push_back(
      {Role::user, std::vector<ContentPart>{{PartKind::file, "", R"({"type":"input_audio","input_audio":{}})"}}});
  EXPECT_EQ(anthropic_messages.write_body(request, {}).error().code, ErrorCode::invalid_argument);
}

TEST(AnthropicWireTest, AsksForSchemasInItsOwnWay) {
  LlmRequest request;
  request.response_schema_json = R"({"type":"object"})";
  EXPECT_EQ(anthropic_body(request)["output_config"]["format"]["type"], "json_schema");
}

TEST(AnthropicWireTest, CountingLeavesSamplingOut) {
  auto request = test::conversation();
  request.temperature = 1;
  const auto body = anthropic_body(request, Delivery::count_tokens);
  EXPECT_FALSE(body.contains("max_tokens"));
  EXPECT_FALSE(body.contains("temperature"));
  EXPECT_TRUE(body.contains("tools"));
}

TEST(AnthropicWireTest, UsageAddsUpAndThinkingGoesBack) {
  const auto response = test::read(anthropic_messages, anthropic_reply);
  EXPECT_EQ(response.finish_reason, FinishReason::tool_calls);
  EXPECT_EQ(text_of(response.message), "Hi");
  EXPECT_EQ(response.usage.prompt_tokens, 18);
  EXPECT_EQ(response.usage.cached_prompt_tokens, 5);
  EXPECT_EQ(response.usage.cache_write_tokens, 3);
  EXPECT_EQ(response.usage.completion_tokens, 7);
  EXPECT_EQ(response.message.tool_calls[0].arguments_json, R"({"a":1})");
  LlmRequest next;
  next.messages.push_back(response.message);
  const auto content = anthropic_body(next)["messages"][0]["content"];
  ASSERT_EQ(content.size(), 3U);
  EXPECT_EQ(content[0], Json({{"type", "thinking"}, {"thinking", "hmm"}, {"signature", "sig"}}));
  EXPECT_EQ(content[2]["input"], Json({{"a", 1}}));
}

TEST(AnthropicWireTest, ACallKnowsItsCallerWhereThatIsNotTheModel) {
  const auto call_by = [](const std::string& caller) {
    const auto reply = R"({"stop_reason":"tool_use","content":[
        {"type":"tool_use","id":"a","name":"f","input":{},"caller":)" +
                       caller + "}]}";
    return test::read(anthropic_messages, reply.c_str()).message;
  };
  EXPECT_EQ(call_by(R"({"type":"direct"})").tool_calls[0].extra_json, "");
  LlmRequest next;
  next.messages.push_back(call_by(R"({"type":"code_execution_20260120","tool_id":"srv_1"})"));
  EXPECT_EQ(anthropic_body(next)["messages"][0]["content"][0]["caller"]["tool_id"], "srv_1");
}

TEST(AnthropicWireTest, TextWithoutCitationsIsPlainText) {
  const auto response = test::read(
      anthropic_messages, R"({"stop_reason":"end_turn","content":[{"type":"text","text":"Hi","citations":null}]})");
  EXPECT_EQ(std::get<std::string>(response.message.content), "Hi");
}

TEST(AnthropicWireTest, EveryEndHasItsReason) {
  const std::vector<std::pair<const char*, FinishReason>> ends = {
      {"end_turn", FinishReason::stop},     {"stop_sequence", FinishReason::stop},
      {"max_tokens", FinishReason::length}, {"model_context_window_exceeded", FinishReason::length},
      {"refusal", FinishReason::refusal},   {"pause_turn", FinishReason::other}};
  for (const auto& [name, reason] : ends) {
    EXPECT_EQ(test::read(anthropic_messages, (R"({"content":[],"stop_reason":")" + std::string(name) + "\"}").c_str())
                  .finish_reason,
              reason);
  }
}

const std::vector<std::string>& anthropic_events() {
  static const std::vector<std::string> events = {
      R"({"type":"message_start","message":{"type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":3,"output_tokens":1}}})",
      R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
      R"({"type":"ping"})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hmm"}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}})",
      R"({"type":"content_block_stop","index":0})",
      R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"H"}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"i"}})",
      R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"tu_1","name":"f","input":{}}})",
      R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}})",
      R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":":1}"}})",
      R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}})",
      R"({"type":"message_stop"})"};
  return events;
}

std::string anthropic_stream() { return test::sse(anthropic_events()); }

TEST(AnthropicWireTest, AStreamGivesWhatTheWholeReplyGives) {
  const auto streamed = test::read_stream(anthropic_messages, anthropic_stream());
  ASSERT_TRUE(streamed.response);
  EXPECT_EQ(streamed.text, "Hi");
  EXPECT_EQ(test::described(*streamed.response), test::described(test::read(anthropic_messages, anthropic_reply)));
}

TEST(AnthropicWireTest, EveryCutOfAStreamIsATypedError) {
  test::expect_every_cut_is_typed(anthropic_messages, anthropic_stream());
}

TEST(AnthropicWireTest, BlocksOfOneIndexStayApart) {
  const auto streamed = test::read_stream(
      anthropic_messages,
      test::sse(
          {R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}})",
           R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}})",
           R"({"type":"content_block_stop","index":0})",
           R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"b","name":"g","input":{}}})",
           R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"y\":2}"}})",
           R"({"type":"message_stop"})"}));
  ASSERT_TRUE(streamed.response);
  const auto& calls = streamed.response->message.tool_calls;
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].id, "a");
  EXPECT_EQ(calls[0].arguments_json, R"({"x":1})");
  EXPECT_EQ(calls[1].id, "b");
  EXPECT_EQ(calls[1].arguments_json, R"({"y":2})");
}

TEST(AnthropicWireTest, StrangeEventsDoNoHarm) {
  for (const char* event :
       {R"({"type":"content_block_delta","index":7,"delta":{"text":"x"}})", R"({"type":"content_block_delta"})",
        R"({"type":"message_start"})", R"({"type":"message_delta","usage":7,"delta":[]})",
        R"({"type":"content_block_delta","index":0,"delta":{"citation":{"a":1},"partial_json":7}})", "{}"}) {
    const auto streamed = test::read_stream(anthropic_messages, test::sse({event, R"({"type":"message_stop"})"}));
    EXPECT_TRUE(streamed.response) << event;
  }
}

TEST(AnthropicWireTest, RepliesAndEventsOfAnyShapeAreHarmless) {
  test::expect_any_reply_is_harmless(anthropic_messages, anthropic_reply);
  test::expect_any_stream_is_harmless(anthropic_messages, anthropic_events());
}

TEST(AnthropicWireTest, AnErrorInTheMiddleEndsTheStream) {
  const auto streamed =
      test::read_stream(anthropic_messages,
                        test::sse({R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"}));
  EXPECT_EQ(streamed.response.error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace ctxmgr::wire
