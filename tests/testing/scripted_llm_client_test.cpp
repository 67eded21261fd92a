#include "ctxmgr/testing/scripted_llm_client.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::testing {
namespace {

LlmRequest request_to(std::string model) {
  LlmRequest request;
  request.model = std::move(model);
  return request;
}

TEST(ScriptedLlmClientTest, SaysItsLinesInOrder) {
  ScriptedLlmClient client;
  client.then_reply("one").then_fail({ErrorCode::denied, "no"}).then_reply("two");
  const auto results = client.complete_all({request_to("a"), request_to("b"), request_to("c")}, {});
  EXPECT_EQ(text_of(results[0]->message), "one");
  EXPECT_EQ(results[1].error().code, ErrorCode::denied);
  EXPECT_EQ(text_of(results[2]->message), "two");
}

TEST(ScriptedLlmClientTest, RepliesAsTheAssistantAndCountsOneCall) {
  ScriptedLlmClient client;
  client.then_reply("hello");
  const auto response = client.complete({}, {});
  EXPECT_EQ(response->message.role, Role::assistant);
  EXPECT_EQ(response->usage.calls, 1);
}

TEST(ScriptedLlmClientTest, RemembersWhatItWasAsked) {
  ScriptedLlmClient client;
  (void)client.complete(request_to("first"), {});
  (void)client.complete(request_to("second"), {});
  ASSERT_EQ(client.requests().size(), 2U);
  EXPECT_EQ(client.requests()[1].model, "second");
}

TEST(ScriptedLlmClientTest, WithNothingLeftToSayItIsUnavailable) {
  EXPECT_EQ(ScriptedLlmClient().complete({}, {}).error().code, ErrorCode::unavailable);
}

TEST(ScriptedLlmClientTest, ACancelledCallUsesUpNoReply) {
  ScriptedLlmClient client;
  client.then_reply("kept");
  CallOptions cancelled;
  cancelled.cancellation = CancellationToken([] { return true; });
  EXPECT_EQ(client.complete({}, cancelled).error().code, ErrorCode::cancelled);
  EXPECT_EQ(text_of(client.complete({}, {})->message), "kept");
}

}  // namespace
}  // namespace ctxmgr::testing
