#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/curl/wire.hpp"
#include "adapters/curl/wire_testing.hpp"
#include "core/json/part_forms.hpp"

namespace ctxmgr::wire {
namespace {

Json chat_body(const LlmRequest& request, const BodyOptions& options = {"m", {}, Delivery::whole, ""}) {
  return test::written(openai_chat, request, options);
}

LlmResponse read(const char* reply) { return test::read(openai_chat, reply); }

TEST(OpenaiChatWireTest, WritesMessagesToolsAndLimits) {
  auto request = test::conversation();
  request.temperature = 0.5;
  request.max_output_tokens = 100;
  const auto body = chat_body(request);
  EXPECT_EQ(body["model"], "m");
  EXPECT_EQ(body["messages"].size(), 5U);
  EXPECT_EQ(body["messages"][2]["tool_calls"][0]["function"]["arguments"], R"({"q":"x"})");
  EXPECT_EQ(body["messages"][3]["tool_call_id"], "call_1");
  EXPECT_EQ(body["tools"][0]["function"]["name"], "search");
  EXPECT_EQ(body["temperature"], 0.5);
  EXPECT_EQ(body["max_tokens"], 100);
  EXPECT_FALSE(body.contains("stream"));
}

TEST(OpenaiChatWireTest, FollowsWhatIsKnownOfTheModel) {
  auto request = test::conversation();
  request.temperature = 0.5;
  request.max_output_tokens = 100;
  Quirks quirks;
  quirks.takes_temperature = false;
  quirks.max_completion_tokens = true;
  const auto body = chat_body(request, {"m", quirks, Delivery::stream, ""});
  EXPECT_FALSE(body.contains("temperature"));
  EXPECT_EQ(body["max_completion_tokens"], 100);
  EXPECT_EQ(body["stream"], true);
  EXPECT_EQ(body["stream_options"]["include_usage"], true);
}

TEST(OpenaiChatWireTest, AsksForStrictSchemasOnlyWhereTheyAreStrict) {
  LlmRequest request;
  request.response_schema_json =
      R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false})";
  auto format = chat_body(request)["response_format"];
  EXPECT_EQ(format["type"], "json_schema");
  EXPECT_EQ(format["json_schema"]["strict"], true);
  request.response_schema_json =
      R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})";
  EXPECT_EQ(chat_body(request)["response_format"]["json_schema"]["strict"], false);
}

TEST(OpenaiChatWireTest, FallsBackToJsonModeAndToWords) {
  auto request = test::conversation();
  request.response_schema_json = R"({"type":"object"})";
  auto body = chat_body(request, {"m", {StructuredOutput::json_object}, Delivery::whole, ""});
  EXPECT_EQ(body["response_format"]["type"], "json_object");
  EXPECT_THAT(body["messages"][0]["content"].string(), ::testing::HasSubstr(R"({"type":"object"})"));
  body = chat_body(request, {"m", {StructuredOutput::prompt}, Delivery::whole, ""});
  EXPECT_FALSE(body.contains("response_format"));
  EXPECT_THAT(body["messages"][0]["content"].string(), ::testing::HasSubstr("JSON Schema"));
}

TEST(OpenaiChatWireTest, ExtraFieldsOfTheRequestWinOverThoseOfTheClient) {
  LlmRequest request;
  request.extra_body_json = R"({"top_p":0.1,"messages":[]})";
  const auto body = chat_body(request, {"m", {}, Delivery::whole, R"({"top_p":0.9,"seed":7})"});
  EXPECT_EQ(body["top_p"], 0.1);
  EXPECT_EQ(body["seed"], 7);
  EXPECT_TRUE(body["messages"].empty());
}

TEST(OpenaiChatWireTest, BrokenJsonOfTheCallerIsRefused) {
  LlmRequest request;
  request.extra_body_json = "[1]";
  EXPECT_EQ(openai_chat.write_body(request, {}).error().code, ErrorCode::invalid_argument);
  request.extra_body_json = "";
  request.response_schema_json = "{";
  EXPECT_EQ(openai_chat.write_body(request, {}).error().code, ErrorCode::invalid_argument);
}

TEST(OpenaiChatWireTest, InvalidUtf8IsRepaired) {
  LlmRequest request;
  request.messages.emplace_back();
  request.messages.back().content = "a\xFF";
  EXPECT_EQ(chat_body(request)["messages"][0]["content"], "a\xEF\xBF\xBD");
}

TEST(OpenaiChatWireTest, ReadsToolCallsAndKeepsWhatItDoesNotKnow) {
  const auto response = read(R"({"model":"m-2","choices":[{"finish_reason":"tool_calls","message":{
      "role":"assistant","content":null,"refusal":null,"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}],
      "tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"},
                     "extra_content":{"google":{"thought_signature":"s"}}}]}}]})");
  EXPECT_EQ(response.finish_reason, FinishReason::tool_calls);
  EXPECT_EQ(response.message.tool_calls[0].arguments_json, R"({"a":1})");
  EXPECT_EQ(response.message.tool_calls[0].extra_json, R"({"extra_content":{"google":{"thought_signature":"s"}}})");
  EXPECT_EQ(response.message.extra_json, R"({"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]})");
  LlmRequest next;
  next.messages.push_back(response.message);
  const auto sent = chat_body(next)["messages"][0];
  EXPECT_EQ(sent["reasoning_details"][0]["data"], "x");
  EXPECT_EQ(sent["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "s");
}

TEST(OpenaiChatWireTest, EveryDialectIsUnderstood) {
  // In the forms that the services document: Gemini, Anthropic's compatible endpoint, vLLM, llama.cpp, Ollama, OpenRouter,
  // DeepSeek.
  for (
      const char* reply :
      {R"({"id":"x","object":"chat.completion","created":1,"model":"gemini","choices":[{"index":0,"finish_reason":"stop",
            "message":{"role":"assistant","content":"hi","extra_content":{"google":{"thought_signature":"s"}}}}],
            "usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}})",
       R"({"id":"msg_1","object":"chat.completion","model":"claude","system_fingerprint":null,"service_tier":null,
            "choices":[{"index":0,"finish_reason":"stop","logprobs":null,
            "message":{"role":"assistant","content":"hi","refusal":null,"audio":null,"tool_calls":null}}],
            "usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_tokens_details":null}})",
       R"({"id":"x","model":"vllm","choices":[{"index":0,"finish_reason":"stop","stop_reason":null,"logprobs":null,
            "message":{"role":"assistant","reasoning_content":null,"content":"hi","tool_calls":[]}}],
            "usage":{"prompt_tokens":3,"total_tokens":5,"completion_tokens":2,"prompt_tokens_details":null},
            "prompt_logprobs":null,"kv_transfer_params":null})",
       R"({"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":"hi"}}],"model":"llama",
            "usage":{"completion_tokens":2,"prompt_tokens":3,"total_tokens":5},"timings":{"prompt_ms":1.5}})",
       R"({"id":"x","model":"ollama","system_fingerprint":"fp_ollama","choices":[{"index":0,"finish_reason":"stop",
            "message":{"role":"assistant","content":"hi","reasoning":"hm"}}],
            "usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}})",
       R"({"id":"gen-1","provider":"X","model":"openrouter","choices":[{"logprobs":null,"finish_reason":"stop",
            "native_finish_reason":"completed","index":0,"message":{"role":"assistant","content":"hi","refusal":null,
            "reasoning":null,"reasoning_details":[]}}],"usage":{"prompt_tokens":3,"completion_tokens":2,"cost":0.1}})",
       R"({"model":"deepseek","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"hi"}}],
            "usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_cache_hit_tokens":1,"prompt_cache_miss_tokens":2}})"}) {
    const auto response = read(reply);
    EXPECT_EQ(text_of(response.message), "hi") << reply;
    EXPECT_EQ(response.finish_reason, FinishReason::stop) << reply;
    EXPECT_EQ(response.usage.prompt_tokens, 3) << reply;
    EXPECT_EQ(response.usage.completion_tokens, 2) << reply;
  }
}

TEST(OpenaiChatWireTest, EveryEndHasItsReason) {
  const std::vector<std::pair<const char*, FinishReason>> ends = {
      {R"({"finish_reason":"stop","message":{"content":"x"}})", FinishReason::stop},
      {R"({"finish_reason":"length","message":{"content":null}})", FinishReason::length},
      {R"({"finish_reason":"content_filter","message":{"content":""}})", FinishReason::refusal},
      {R"({"finish_reason":"stop","message":{"content":null,"refusal":"No."}})", FinishReason::refusal},
      {R"({"finish_reason":"stop","message":{"content":null,"tool_calls":[{"id":"c"}]}})", FinishReason::tool_calls},
      {R"({"finish_reason":"odd","message":{"content":"x"}})", FinishReason::other},
      {R"({"message":{"content":"x"}})", FinishReason::other}};
  for (const auto& [choice, reason] : ends) {
    EXPECT_EQ(read((R"({"choices":[)" + std::string(choice) + "]}").c_str()).finish_reason, reason) << choice;
  }
}

TEST(OpenaiChatWireTest, RepliesWithoutAMessageAreBadData) {
  for (const char* reply : {"{}", "[]", "7", R"({"choices":[]})", R"({"choices":{}})", R"({"choices":[{}]})",
                            R"({"choices":[{"message":"x"}]})", R"({"choices":[{"message":{"content":7}}]})",
                            R"({"choices":[{"finish_reason":"stop","message":{"content":null}}]})",
                            R"({"choices":[{"message":{"role":"assistant"}}]})"}) {
    const auto response = openai_chat.read_reply(*parse_json(reply));
    ASSERT_FALSE(response) << reply;
    EXPECT_EQ(response.error().code, ErrorCode::bad_data);
  }
}

TEST(OpenaiChatWireTest, AnEmptyRefusalIsNone) {
  const auto response = read(R"({"choices":[{"finish_reason":"stop","message":{"content":"x","refusal":""}}]})");
  EXPECT_EQ(text_of(response.message), "x");
  EXPECT_EQ(response.finish_reason, FinishReason::stop);
}

TEST(OpenaiChatWireTest, AReplyOfReasoningAloneIsAReply) {
  for (const char* message : {R"({"content":null,"reasoning_content":"hm"})", R"({"content":null,"reasoning":"hm"})",
                              R"({"reasoning_details":[{"type":"reasoning.text","text":"hm"}]})"}) {
    const auto response =
        read((R"({"choices":[{"finish_reason":"stop","message":)" + std::string(message) + "}]}").c_str());
    EXPECT_EQ(text_of(response.message), "");
    EXPECT_NE(response.message.extra_json.find("hm"), std::string::npos);
  }
  EXPECT_FALSE(openai_chat.read_reply(
      *parse_json(R"({"choices":[{"finish_reason":"stop","message":{"content":null,"reasoning_content":""}}]})")));
}

TEST(OpenaiChatWireTest, PiecesOfAThoughtAreOneThought) {
  const auto streamed = test::read_stream(
      openai_chat,
      test::sse(
          {R"({"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"one ","index":0,"format":"f"}]}}]})",
           R"({"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"two","index":0}]}}]})",
           R"({"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0},{"type":"reasoning.encrypted","data":"x","index":1}]}}]})",
           R"({"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]})", "[DONE]"}));
  ASSERT_TRUE(streamed.response);
  EXPECT_EQ(parse_json(streamed.response->message.extra_json).value()["reasoning_details"],
            *parse_json(R"([{"type":"reasoning.text","text":"one two","index":0,"format":"f","signature":"s"},
                            {"type":"reasoning.encrypted","data":"x","index":1}])"));
}

TEST(OpenaiChatWireTest, PartsOfOtherServicesChangeTheirFormOrStay) {
  LlmRequest request;
  request.messages.push_back(
      {Role::user,
       std::vector<ContentPart>{
           {PartKind::image, "", R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}})"},
           {PartKind::file, "",
            R"({"type":"document","title":"t","source":{"type":"base64","media_type":"application/pdf","data":"BB"}})"},
           {PartKind::file, "", R"({"type":"document","source":{"type":"text","data":"words"}})"},
           {PartKind::other, "", R"({"type":"thinking","thinking":"x","signature":"s"})"},
           {PartKind::other, "", R"({"type":"thinking","thinking":[{"type":"text","text":"a list"}]})"},
           {PartKind::other, "", R"({"type":"reasoning","id":"rs"})"},
           forms::call_part("c")}});
  EXPECT_EQ(chat_body(request)["messages"][0]["content"],
            *parse_json(R"([{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},
                            {"type":"file","file":{"file_data":"data:application/pdf;base64,BB","filename":"t"}},
                            {"type":"text","text":"words"},
                            {"type":"thinking","thinking":[{"type":"text","text":"a list"}]}])"));
}

TEST(OpenaiChatWireTest, CountsThatCannotBeAreZero) {
  const auto usage = read(R"({"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":-5,
      "completion_tokens":1e300,"prompt_tokens_details":{"cached_tokens":"many","cache_write_tokens":3}}})")
                         .usage;
  EXPECT_EQ(usage.prompt_tokens, 0);
  EXPECT_EQ(usage.completion_tokens, 0);
  EXPECT_EQ(usage.cached_prompt_tokens, 0);
  EXPECT_EQ(usage.cache_write_tokens, 3);
  EXPECT_EQ(usage.calls, 1);
}

const std::vector<std::string>& chat_events() {
  static const std::vector<std::string> events = {
      R"({"model":"m","choices":[{"delta":{"role":"assistant","content":"Gr"}}]})",
      R"({"choices":[{"delta":{"content":"\u00fc"}}]})",
      R"({"choices":[{"delta":{"content":"n","reasoning_content":"hm"}}]})",
      R"({"choices":[{"delta":{"reasoning_content":"m"}}]})",
      R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}]})",
      R"({"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}}]})",
      R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}}]}}]})",
      R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]})",
      R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})",
      R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6}})",
      "[DONE]"};
  return events;
}

constexpr const char* chat_reply = R"({"model":"m","choices":[{"finish_reason":"tool_calls","message":{
    "role":"assistant","content":"Gr\u00fcn","reasoning_content":"hmm","tool_calls":[
    {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},
    {"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}}],
    "usage":{"prompt_tokens":5,"completion_tokens":6}})";

TEST(OpenaiChatWireTest, AStreamGivesWhatTheWholeReplyGives) {
  const auto streamed = test::read_stream(openai_chat, test::sse(chat_events()));
  ASSERT_TRUE(streamed.response) << streamed.response.error().message;
  EXPECT_EQ(streamed.text, "Gr\xC3\xBCn");
  EXPECT_EQ(test::described(*streamed.response), test::described(read(chat_reply)));
}

TEST(OpenaiChatWireTest, EveryCutOfAStreamIsCompleteOrATypedError) {
  test::expect_every_cut_is_typed(openai_chat, test::sse(chat_events()));
}

TEST(OpenaiChatWireTest, RepliesAndEventsOfAnyShapeAreHarmless) {
  test::expect_any_reply_is_harmless(openai_chat, chat_reply);
  test::expect_any_stream_is_harmless(openai_chat, chat_events());
}

TEST(OpenaiChatWireTest, OfSeveralChoicesTheFirstIsRead) {
  const auto streamed = test::read_stream(
      openai_chat,
      test::sse({R"({"choices":[{"index":0,"delta":{"content":"a"}}]})",
                 R"({"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"length"}]})",
                 R"({"choices":[{"index":0,"delta":{"content":"c"},"finish_reason":"stop"}]})", "[DONE]"}));
  EXPECT_EQ(streamed.text, "ac");
  EXPECT_EQ(streamed.response->finish_reason, FinishReason::stop);
}

TEST(OpenaiChatWireTest, AnErrorInTheMiddleEndsTheStream) {
  const auto streamed = test::read_stream(
      openai_chat,
      test::sse({R"({"choices":[{"delta":{"content":"a"}}]})", R"({"error":{"type":"overloaded_error","code":529}})"}));
  EXPECT_EQ(streamed.response.error().code, ErrorCode::unavailable);
  const auto router = test::read_stream(
      openai_chat,
      test::sse({R"({"choices":[{"delta":{"content":""},"finish_reason":"error","error":{"code":502}}]})"}));
  EXPECT_EQ(router.response.error().code, ErrorCode::unavailable);
  EXPECT_EQ(test::read_stream(openai_chat, test::sse({"not JSON"})).response.error().code, ErrorCode::bad_data);
  EXPECT_EQ(test::read_stream(openai_chat, test::sse({"[DONE]"})).response.error().code, ErrorCode::bad_data);
}

std::vector<ToolCall> streamed_calls(const std::vector<std::string>& pieces) {
  std::vector<std::string> events;
  for (const auto& piece : pieces) events.push_back(R"({"choices":[{"delta":{"tool_calls":[)" + piece + "]}}]}");
  events.emplace_back(R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})");
  const auto streamed = test::read_stream(openai_chat, test::sse(events));
  EXPECT_TRUE(streamed.response);
  return streamed.response ? streamed.response->message.tool_calls : std::vector<ToolCall>{};
}

TEST(OpenaiChatWireTest, ParallelCallsOfOneIndexStayApart) {
  // Ollama: each call whole, with an id of its own.
  auto calls =
      streamed_calls({R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}})",
                      R"({"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{\"y\":2}"}})"});
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].id, "a");
  EXPECT_EQ(calls[0].arguments_json, R"({"x":1})");
  EXPECT_EQ(calls[1].name, "g");
  EXPECT_EQ(calls[1].arguments_json, R"({"y":2})");
  // Both in one event, without ids, as proxies of Gemini send them; the same function twice.
  const std::string first = R"({"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":1}"}})";
  const std::string second = R"({"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":2}"}})";
  calls = streamed_calls({first + "," + second});
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[1].arguments_json, R"({"x":2})");
  // Pieces go to the call that was begun last.
  calls = streamed_calls({R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})",
                          R"({"index":0,"id":"b","function":{"name":"g","arguments":""}})",
                          R"({"index":0,"function":{"arguments":"{\"y\""}})",
                          R"({"index":0,"function":{"arguments":":2}"}})"});
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[1].arguments_json, R"({"y":2})");
}

TEST(OpenaiChatWireTest, ACallWhoseIdAndNameAreRepeatedInEachPieceIsOne) {
  const auto calls = streamed_calls({R"({"index":0,"id":"a","function":{"name":"f","arguments":""}})",
                                     R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}})",
                                     R"({"index":0,"id":"","function":{"name":"f","arguments":"1}"}})"});
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].arguments_json, R"({"x":1})");
}

TEST(OpenaiChatWireTest, HugeToolCallIndexesCostNothing) {
  const auto streamed = test::read_stream(
      openai_chat,
      test::sse(
          {R"({"choices":[{"delta":{"tool_calls":[{"index":9000000000,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]})",
           "[DONE]"}));
  ASSERT_TRUE(streamed.response);
  EXPECT_EQ(streamed.response->message.tool_calls.size(), 1U);
}

}  // namespace
}  // namespace ctxmgr::wire
