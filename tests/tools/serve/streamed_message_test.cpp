#include "serve/streamed_message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxpack::serve::test {
namespace {

TEST(StreamedMessageTest, PiecesOfSeveralCallsAreToldApartByTheirIndex) {
  const std::string events =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\r\n\r\n"
      "data: "
      "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"g\","
      "\"arguments\":\"{\"}},"
      "{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\r\n\r\n"
      "data: "
      "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]}}]}\n\n"
      "data:{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\" "
      "}\"}}]}}]}\n\n"
      "data: [DONE]\n\n";
  const auto message = streamed_message(Api::openai, events);
  EXPECT_EQ(message["reasoning_content"], "hm");
  ASSERT_EQ(message["tool_calls"].size(), 2U);
  EXPECT_EQ(message["tool_calls"][0]["id"], "a");
  EXPECT_EQ(message["tool_calls"][0]["function"]["arguments"], "{}");
  EXPECT_EQ(message["tool_calls"][1]["function"]["arguments"], "{ }");
}

TEST(StreamedMessageTest, ThinkingKeepsItsSignatureAndInputsAreParsed) {
  const std::string events =
      "event: content_block_start\n"
      "data: {\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n"
      "data: {\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"h\"}}\n\n"
      "data: {\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"m\"}}\n\n"
      "data: {\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"sig\"}}\n\n"
      "data: {\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}}\n\n"
      "data: {\"index\":1,\"delta\":{\"partial_json\":\"{\\\"x\\\":\"}}\n\n"
      "data: {\"index\":1,\"delta\":{\"partial_json\":\"[1]}\"}}\n\n"
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n";
  const auto message = streamed_message(Api::anthropic, events);
  ASSERT_EQ(message["content"].size(), 2U);
  EXPECT_EQ(message["content"][0]["thinking"], "hm");
  EXPECT_EQ(message["content"][0]["signature"], "sig");
  EXPECT_EQ(message["content"][1]["input"]["x"][0], 1);
}

TEST(StreamedMessageTest, WhatIsNoStreamOfOneAnswerIsNoMessage) {
  for (const auto api : {Api::openai, Api::anthropic}) {
    for (const std::string events :
         {"", "data: {", "data: 3\n\n", "no events", "data: {\"index\":0,\"content_block\":7,\"choices\":7}\n",
          "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"second\"}}]}\n"}) {
      const auto message = streamed_message(api, events);
      EXPECT_TRUE(message.is_null() || !message["content"][0].is_object()) << message;
    }
  }
}

}  // namespace
}  // namespace ctxpack::serve::test
