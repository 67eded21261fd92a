#include <gtest/gtest.h>

#include "adapters/curl/wire.hpp"
#include "adapters/curl/wire_testing.hpp"

namespace ctxmgr::wire {
namespace {

constexpr const char* responses_reply = R"({"model":"m","status":"completed","error":null,"output":[
    {"type":"reasoning","id":"rs_1","encrypted_content":"opaque"},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]},
    {"type":"function_call","id":"fc_1","call_id":"call_9","name":"f","arguments":"{\"a\":1}"}],
    "usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":8,"cache_write_tokens":2},"output_tokens":9}})";

Json responses_body(const LlmRequest& request, Delivery delivery = Delivery::whole) {
  return test::written(openai_responses, request, {"m", {}, delivery, ""});
}

TEST(OpenaiResponsesWireTest, WritesMessagesAsItems) {
  auto request = test::conversation();
  request.max_output_tokens = 9;
  const auto body = responses_body(request);
  const auto& input = body["input"];
  ASSERT_EQ(input.size(), 5U);
  EXPECT_EQ(input[0]["role"], "system");
  EXPECT_EQ(input[1]["content"][0], Json({{"type", "input_text"}, {"text", "Find x."}}));
  EXPECT_EQ(input[2]["type"], "function_call");
  EXPECT_EQ(input[2]["call_id"], "call_1");
  EXPECT_EQ(input[3], Json({{"type", "function_call_output"}, {"call_id", "call_1"}, {"output", "x is here"}}));
  EXPECT_EQ(body["tools"][0]["name"], "search");
  EXPECT_EQ(body["max_output_tokens"], 9);
}

TEST(OpenaiResponsesWireTest, AsksForSchemasInItsOwnWay) {
  LlmRequest request;
  request.response_schema_json = R"({"type":"object","properties":{},"additionalProperties":false})";
  const auto format = responses_body(request)["text"]["format"];
  EXPECT_EQ(format["type"], "json_schema");
  EXPECT_EQ(format["strict"], true);
}

TEST(OpenaiResponsesWireTest, CountingLeavesSamplingOut) {
  LlmRequest request;
  request.max_output_tokens = 9;
  request.temperature = 1;
  const auto body = responses_body(request, Delivery::count_tokens);
  EXPECT_FALSE(body.contains("max_output_tokens"));
  EXPECT_FALSE(body.contains("temperature"));
}

TEST(OpenaiResponsesWireTest, ImagesAndFilesChangeTheirShape) {
  LlmRequest request;
  request.messages.emplace_back().content = std::vector<ContentPart>{
      {PartKind::text, "look", ""},
      {PartKind::image, "", R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}})"},
      {PartKind::file, "", R"({"type":"file","file":{"file_id":"f1"}})"}};
  const auto content = responses_body(request)["input"][0]["content"];
  EXPECT_EQ(content[1], Json({{"type", "input_image"}, {"image_url", "data:image/png;base64,AA"}}));
  EXPECT_EQ(content[2], Json({{"type", "input_file"}, {"file_id", "f1"}}));
}

TEST(OpenaiResponsesWireTest, MediaOfToolResultsReachTheService) {
  LlmRequest request;
  auto& message = request.messages.emplace_back();
  message.role = Role::tool;
  message.tool_call_id = "c";
  message.content = std::vector<ContentPart>{
      {PartKind::text, "see", ""},
      {PartKind::image, "", R"({"type":"image_url","image_url":{"url":"u","detail":"low"}})"},
      {PartKind::image, "", R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}})"},
      {PartKind::file, "",
       R"({"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"BB"}})"},
      {PartKind::file, "", R"({"type":"input_audio","input_audio":{"data":"CC","format":"wav"}})"}};
  EXPECT_EQ(responses_body(request)["input"][0]["output"],
            *parse_json(R"([{"type":"input_text","text":"see"},{"type":"input_image","image_url":"u","detail":"low"},
                            {"type":"input_image","image_url":"data:image/png;base64,AA"},
                            {"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,BB"},
                            {"type":"input_audio","input_audio":{"data":"CC","format":"wav"}}])"));
}

TEST(OpenaiResponsesWireTest, ItemsGoBackInTheOrderInWhichTheyCame) {
  const auto response = test::read(openai_responses, R"({"status":"completed","output":[
      {"type":"reasoning","id":"rs_1"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},
      {"type":"reasoning","id":"rs_2"},{"type":"function_call","call_id":"b","name":"f","arguments":"{}"},
      {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[{"type":"url_citation","url":"u"}]}]}]})");
  LlmRequest next;
  next.messages.push_back(response.message);
  const auto input = responses_body(next)["input"];
  std::string order;
  for (const Json& item : input) {
    for (const char* const name : {"id", "call_id", "role"}) {
      if (!item.contains(name)) continue;
      order += item[name].string() + " ";
      break;
    }
  }
  EXPECT_EQ(order, "rs_1 a rs_2 b assistant ");
  EXPECT_EQ(input[4]["content"][0]["annotations"][0]["url"], "u");
}

TEST(OpenaiResponsesWireTest, ThoughtsOfAnotherServiceStayWhereTheyCameFrom) {
  LlmRequest request;
  request.messages.push_back(
      {Role::assistant,
       std::vector<ContentPart>{{PartKind::other, "", R"({"type":"thinking","thinking":"x","signature":"s"})"},
                                {PartKind::text, "hi", R"({"citations":[1]})"}}});
  EXPECT_EQ(dump_json(responses_body(request)["input"]), R"([{"type":"message","role":"assistant","content":"hi"}])");
}

TEST(OpenaiResponsesWireTest, OpaqueItemsGoBackInTheirPlace) {
  const auto response = test::read(openai_responses, responses_reply);
  EXPECT_EQ(response.finish_reason, FinishReason::tool_calls);
  EXPECT_EQ(text_of(response.message), "Hi");
  EXPECT_EQ(response.usage.prompt_tokens, 20);
  EXPECT_EQ(response.usage.cached_prompt_tokens, 8);
  EXPECT_EQ(response.usage.cache_write_tokens, 2);
  LlmRequest next;
  next.messages.push_back(response.message);
  const auto input = responses_body(next)["input"];
  ASSERT_EQ(input.size(), 3U);
  EXPECT_EQ(input[0], Json({{"type", "reasoning"}, {"id", "rs_1"}, {"encrypted_content", "opaque"}}));
  EXPECT_EQ(input[1]["content"], Json("Hi"));
  EXPECT_EQ(input[2]["call_id"], "call_9");
}

TEST(OpenaiResponsesWireTest, WordsGoBackInItemsOfTheirPhase) {
  const auto response = test::read(openai_responses, R"({"status":"completed","output":[
      {"type":"message","phase":"commentary","content":[{"type":"output_text","text":"Looking."}]},
      {"type":"reasoning","id":"rs_2"},
      {"type":"message","phase":"final_answer","content":[{"type":"output_text","text":"It is "},
                                                          {"type":"output_text","text":"7."}]}]})");
  EXPECT_EQ(text_of(response.message), "Looking.\nIt is 7.");
  LlmRequest next;
  next.messages.push_back(response.message);
  const auto input = responses_body(next)["input"];
  ASSERT_EQ(input.size(), 3U);
  EXPECT_EQ(input[0]["phase"], "commentary");
  EXPECT_EQ(input[1]["type"], "reasoning");
  EXPECT_EQ(input[2]["phase"], "final_answer");
  EXPECT_EQ(input[2]["content"], Json("It is 7."));
}

TEST(OpenaiResponsesWireTest, CallsGoBackWithTheirNamespace) {
  const auto response = test::read(openai_responses, R"({"status":"completed","output":[
      {"type":"function_call","id":"fc_1","call_id":"a","status":"completed","name":"f","arguments":"{}",
       "namespace":"crm","caller":{"type":"direct"}}]})");
  EXPECT_EQ(response.message.tool_calls[0].extra_json, R"({"namespace":"crm"})");
  LlmRequest next;
  next.messages.push_back(response.message);
  next.messages.back().tool_calls[0].extra_json = R"({"namespace":"crm","extra_content":"another service's"})";
  EXPECT_EQ(
      responses_body(next)["input"][0],
      Json({{"type", "function_call"}, {"call_id", "a"}, {"name", "f"}, {"arguments", "{}"}, {"namespace", "crm"}}));
}

TEST(OpenaiResponsesWireTest, EveryEndHasItsReason) {
  const auto reason = [](const std::string& fields) {
    return test::read(
               openai_responses,
               (R"({"output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}],)" + fields + "}")
                   .c_str())
        .finish_reason;
  };
  EXPECT_EQ(reason(R"("status":"completed")"), FinishReason::stop);
  EXPECT_EQ(reason(R"("status":"incomplete","incomplete_details":{"reason":"max_output_tokens"})"),
            FinishReason::length);
  EXPECT_EQ(reason(R"("status":"incomplete","incomplete_details":{"reason":"content_filter"})"), FinishReason::refusal);
  EXPECT_EQ(reason(R"("status":"cancelled")"), FinishReason::other);
  EXPECT_EQ(
      test::read(openai_responses, R"({"output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]})")
          .finish_reason,
      FinishReason::refusal);
}

TEST(OpenaiResponsesWireTest, EmptyRepliesAreBadData) {
  for (const char* reply : {"{}", R"({"output":{}})", R"({"status":"completed","output":[]})"}) {
    EXPECT_FALSE(openai_responses.read_reply(*parse_json(reply))) << reply;
  }
}

std::vector<std::string> responses_events() {
  return {R"({"type":"response.created","response":{"status":"in_progress"}})",
          R"({"type":"response.output_text.delta","delta":"H"})",
          R"({"type":"response.output_text.delta","delta":"i"})",
          R"({"type":"response.completed","response":)" + dump_json(*parse_json(responses_reply)) + "}"};
}

std::string responses_stream() { return test::sse(responses_events()); }

TEST(OpenaiResponsesWireTest, AStreamGivesWhatTheWholeReplyGives) {
  const auto streamed = test::read_stream(openai_responses, responses_stream());
  ASSERT_TRUE(streamed.response);
  EXPECT_EQ(streamed.text, "Hi");
  EXPECT_EQ(test::described(*streamed.response), test::described(test::read(openai_responses, responses_reply)));
}

TEST(OpenaiResponsesWireTest, EveryCutOfAStreamIsCompleteOrATypedError) {
  test::expect_every_cut_is_typed(openai_responses, responses_stream());
}

TEST(OpenaiResponsesWireTest, RepliesAndEventsOfAnyShapeAreHarmless) {
  test::expect_any_reply_is_harmless(openai_responses, responses_reply);
  test::expect_any_stream_is_harmless(openai_responses, responses_events());
}

TEST(OpenaiResponsesWireTest, ErrorsInTheMiddleEndTheStream) {
  for (const char* event :
       {R"({"type":"error","code":"server_error","message":"x"})",
        R"({"type":"response.failed","response":{"error":{"code":"server_error","message":"x"}}})"}) {
    EXPECT_EQ(test::read_stream(openai_responses, test::sse({event})).response.error().code, ErrorCode::unavailable);
  }
}

}  // namespace
}  // namespace ctxmgr::wire
