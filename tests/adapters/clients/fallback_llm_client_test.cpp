#include <gtest/gtest.h>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr {
namespace {

using testing::ScriptedLlmClient;

class FallbackLlmClientTest : public ::testing::Test {
 protected:
  std::shared_ptr<ScriptedLlmClient> first_ = std::make_shared<ScriptedLlmClient>();
  std::shared_ptr<ScriptedLlmClient> second_ = std::make_shared<ScriptedLlmClient>();
  std::unique_ptr<LlmClient> client_ = make_fallback_llm_client(first_, second_);
};

TEST_F(FallbackLlmClientTest, TheFirstAnswersWhileItCan) {
  first_->then_reply("first");
  EXPECT_EQ(text_of(client_->complete({}, {})->message), "first");
  EXPECT_TRUE(second_->requests().empty());
}

TEST_F(FallbackLlmClientTest, TheSecondAnswersWhereItMayHelp) {
  for (const auto code : {ErrorCode::unavailable, ErrorCode::denied, ErrorCode::not_found}) {
    first_->then_fail({code, ""});
    second_->then_reply("second");
    EXPECT_EQ(text_of(client_->complete({}, {})->message), "second");
  }
}

TEST_F(FallbackLlmClientTest, WhatTheSecondCannotMendIsReturned) {
  for (const auto code : {ErrorCode::cancelled, ErrorCode::deadline_exceeded, ErrorCode::invalid_argument,
                          ErrorCode::context_length_exceeded, ErrorCode::bad_data}) {
    first_->then_fail({code, ""});
    EXPECT_EQ(client_->complete({}, {}).error().code, code);
  }
  EXPECT_TRUE(second_->requests().empty());
}

TEST_F(FallbackLlmClientTest, BehindABreakerADeadServiceIsSoonSkipped) {
  const std::shared_ptr<LlmClient> guarded = make_circuit_breaking_llm_client(first_);
  const auto client = make_fallback_llm_client(guarded, second_);
  for (int i = 0; i < 20; ++i) {
    second_->then_reply("second");
    EXPECT_TRUE(client->complete({}, {}));
  }
  EXPECT_EQ(first_->requests().size(), 5U);
}

TEST_F(FallbackLlmClientTest, OfManyOnlyTheFailedGoToTheSecond) {
  first_->then_reply("a").then_fail({ErrorCode::unavailable, ""}).then_reply("c");
  second_->then_reply("b");
  const auto results = client_->complete_all(std::vector<LlmRequest>(3), {});
  EXPECT_EQ(text_of(results[0]->message) + text_of(results[1]->message) + text_of(results[2]->message), "abc");
  EXPECT_EQ(second_->requests().size(), 1U);
}

}  // namespace
}  // namespace ctxmgr
