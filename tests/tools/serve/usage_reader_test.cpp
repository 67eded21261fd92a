#include "serve/usage_reader.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

ctxmgr::UsageMetadata read(std::string_view type, const std::string& body, std::size_t piece) {
  UsageReader reader(type);
  for (std::size_t at = 0; at < body.size(); at += piece) reader.read(std::string_view(body).substr(at, piece));
  reader.end();
  return reader.usage();
}

TEST(UsageReaderTest, ReadsBothServicesStreamedOrWholeHoweverTheyAreCut) {
  const std::string openai =
      R"({"usage":{"prompt_tokens":20,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":8}}})";
  const std::string openai_stream = "data: {\"choices\":[],\"usage\":null}\n\ndata: " + openai + "\n\ndata: [DONE]\n\n";
  const std::string anthropic =
      R"({"usage":{"input_tokens":10,"cache_read_input_tokens":8,"cache_creation_input_tokens":2,"output_tokens":5}})";
  const std::string anthropic_stream =
      "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":" +
      std::string(
          R"({"usage":{"input_tokens":10,"cache_read_input_tokens":8,"cache_creation_input_tokens":2,"output_tokens":1}})") +
      "}\r\n\r\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":5}}\r\n\r\n";
  for (const std::size_t piece : {1U, 7U, 10'000U}) {
    for (const auto& usage :
         {read("application/json", openai, piece), read("text/event-stream; charset=utf-8", openai_stream, piece),
          read("application/json", anthropic, piece), read("text/event-stream", anthropic_stream, piece)}) {
      EXPECT_EQ(usage.prompt_tokens, 20);
      EXPECT_EQ(usage.cached_prompt_tokens, 8);
      EXPECT_EQ(usage.completion_tokens, 5);
      EXPECT_EQ(usage.calls, 1);
    }
  }
}

TEST(UsageReaderTest, WhatSaysNothingLeavesZeros) {
  for (const char* body :
       {"", "{", "\"usage\"", R"({"usage":7})", R"({"usage":{"prompt_tokens":-7}})", "[{\"usage\":{}}]"})
    EXPECT_EQ(read("application/json", body, 3).prompt_tokens, 0) << body;
  std::string stream;
  for (int i = 0; i < 5; ++i) stream.append(std::size_t{1} << 20, 'x');  // A line that is longer than any that is read.
  stream.append("\ndata: {\"usage\":{\"prompt_tokens\":3}}\n");
  EXPECT_EQ(read("text/event-stream", stream, 1 << 16).prompt_tokens, 3);
}

}  // namespace
}  // namespace ctxpack::serve::test
