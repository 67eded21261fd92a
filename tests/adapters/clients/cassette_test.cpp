#include "adapters/clients/cassette.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

LlmRequest request() {
  LlmRequest request;
  request.model = "m";
  request.messages.emplace_back();
  request.messages.back().content = "What?\nReally \"so\"?";
  request.tools.push_back({"search", "Searches.", R"({"type":"object"})", ""});
  request.temperature = 0.5;
  request.max_output_tokens = 10;
  return request;
}

TEST(CassetteTest, AReplyComesBackAsItWas) {
  LlmResponse response;
  response.message.role = Role::assistant;
  response.message.content = std::vector<ContentPart>{{PartKind::other, "", R"({"type":"thinking","signature":"x"})"}};
  response.message.tool_calls.push_back({"id", "search", R"({"q":1})", ""});
  response.finish_reason = FinishReason::tool_calls;
  response.usage = {10, 4, 2, 3, 1};
  response.model = "m-2";
  const auto text = write_cassette_line(request(), response);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto line = read_cassette_line(text);
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line->key, cassette_key(request()));
  ASSERT_TRUE(line->result);
  EXPECT_EQ(write_cassette_line(request(), line->result), text);
}

TEST(CassetteTest, AnErrorComesBackAsItWas) {
  const Result<LlmResponse> failed =
      tl::unexpected<Error>(Error{ErrorCode::unavailable, "busy", std::chrono::milliseconds(20)});
  const auto line = read_cassette_line(write_cassette_line(request(), failed));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(line->result.error().message, "busy");
  EXPECT_EQ(line->result.error().retry_after, std::chrono::milliseconds(20));
}

TEST(CassetteTest, RequestsThatDifferHaveDifferentKeys) {
  auto other = request();
  other.temperature = 0.6;
  EXPECT_NE(cassette_key(request()), cassette_key(other));
  EXPECT_EQ(cassette_key(request()), cassette_key(request()));
}

TEST(CassetteTest, ALineWithMoreOfItsMessagesHasTheKeyOfWhatIsSent) {
  LlmRequest request;
  request.model = "m";
  request.messages = {{Role::user, "hi"}};
  const auto line = read_cassette_line(
      R"({"v":1,"request":{"model":"m","messages":[{"role":"user","content":"hi","sequence_number":3,)"
      R"("created_at":"2026-01-02T03:04:05.000Z"}],"purpose":"host"},"error":{"code":"denied"}})");
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line->key, cassette_key(request));
}

TEST(CassetteTest, OtherLinesAreRefused) {
  for (const char* line :
       {"", "nonsense", "{}", R"({"v":2,"request":{},"response":{}})", R"({"v":1,"request":{}})",
        R"({"v":1,"request":{},"response":{"message":7}})", R"({"v":1,"request":{},"response":{},"error":{}})",
        R"({"v":1,"request":1,"error":{"code":"unavailable"}})", R"({"v":1,"request":[],"response":{}})",
        R"({"v":1,"request":"text","response":{}})"}) {
    EXPECT_FALSE(read_cassette_line(line)) << line;
  }
}

}  // namespace
}  // namespace ctxmgr
