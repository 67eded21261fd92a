#include <gtest/gtest.h>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/testing/manual_clock.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;
using testing::ManualClock;
using testing::ScriptedLlmClient;

class CircuitBreakingLlmClientTest : public ::testing::Test {
 protected:
  CircuitBreakingLlmClientTest() { client_ = make_circuit_breaking_llm_client(script_, clock_); }

  void fail_times(int times) {
    for (int i = 0; i < times; ++i) script_->then_fail({ErrorCode::unavailable, ""});
    for (int i = 0; i < times; ++i) EXPECT_FALSE(client_->complete({}, {}));
  }

  std::shared_ptr<ScriptedLlmClient> script_ = std::make_shared<ScriptedLlmClient>();
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::unique_ptr<LlmClient> client_;
};

TEST_F(CircuitBreakingLlmClientTest, AfterFiveFailuresTheServiceIsLeftAlone) {
  fail_times(5);
  const auto result = client_->complete({}, {});
  EXPECT_EQ(script_->requests().size(), 5U);
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_GE(result.error().retry_after, milliseconds(4'000));
  EXPECT_LE(result.error().retry_after, milliseconds(6'000));
}

TEST_F(CircuitBreakingLlmClientTest, AProbeThatSucceedsClosesIt) {
  fail_times(5);
  clock_->advance(milliseconds(6'001));
  script_->then_reply("back").then_reply("again");
  EXPECT_TRUE(client_->complete({}, {}));
  EXPECT_TRUE(client_->complete({}, {}));
}

TEST_F(CircuitBreakingLlmClientTest, AProbeThatFailsOpensItForLonger) {
  fail_times(5);
  clock_->advance(milliseconds(6'001));
  script_->then_fail({ErrorCode::unavailable, ""});
  EXPECT_FALSE(client_->complete({}, {}));
  EXPECT_GE(client_->complete({}, {}).error().retry_after, milliseconds(8'000));
  EXPECT_EQ(script_->requests().size(), 6U);
}

TEST_F(CircuitBreakingLlmClientTest, ErrorsOfTheCallersMakingDoNotCount) {
  for (int i = 0; i < 20; ++i) {
    script_->then_fail({ErrorCode::invalid_argument, ""});
    (void)client_->complete({}, {});
  }
  EXPECT_EQ(script_->requests().size(), 20U);
}

TEST_F(CircuitBreakingLlmClientTest, HalfOfTheCallsMayFail) {
  for (int i = 0; i < 20; ++i) {
    script_->then_reply("x").then_fail({ErrorCode::unavailable, ""});
    (void)client_->complete_all({{}, {}}, {});
  }
  EXPECT_EQ(script_->requests().size(), 40U);
}

TEST_F(CircuitBreakingLlmClientTest, OldFailuresAreForgotten) {
  fail_times(4);
  clock_->advance(milliseconds(31'000));
  fail_times(4);
  EXPECT_EQ(script_->requests().size(), 8U);
}

TEST_F(CircuitBreakingLlmClientTest, ARefusedKeyOpensItAtOnce) {
  script_->then_fail({ErrorCode::denied, ""});
  EXPECT_EQ(client_->complete({}, {}).error().code, ErrorCode::denied);
  EXPECT_EQ(client_->complete({}, {}).error().code, ErrorCode::unavailable);
  EXPECT_EQ(script_->requests().size(), 1U);
}

TEST_F(CircuitBreakingLlmClientTest, OfABatchOneIsTheProbe) {
  fail_times(5);
  EXPECT_EQ(client_->complete_all({{}, {}, {}}, {}).size(), 3U);
  EXPECT_EQ(script_->requests().size(), 5U);
  clock_->advance(milliseconds(6'001));
  script_->then_fail({ErrorCode::unavailable, ""});
  EXPECT_EQ(client_->complete_all({{}, {}, {}}, {}).size(), 3U);
  EXPECT_EQ(script_->requests().size(), 6U);
}

TEST_F(CircuitBreakingLlmClientTest, ABatchOpensItForAsLongAsOneCallDoes) {
  for (const ErrorCode code : {ErrorCode::denied, ErrorCode::unavailable}) {
    for (int i = 0; i < 8; ++i) script_->then_fail({code, ""});
    EXPECT_EQ(client_->complete_all(std::vector<LlmRequest>(8), {}).size(), 8U);
    const auto left_alone = client_->complete({}, {});
    ASSERT_FALSE(left_alone);
    EXPECT_LE(left_alone.error().retry_after, milliseconds(6'000));
    clock_->advance(milliseconds(6'001));
    script_->then_reply("there again");
    EXPECT_TRUE(client_->complete({}, {}));
  }
}

TEST_F(CircuitBreakingLlmClientTest, ACancelledProbeIsFollowedByAnother) {
  fail_times(5);
  clock_->advance(milliseconds(6'001));
  script_->then_fail({ErrorCode::cancelled, ""}).then_reply("back");
  EXPECT_FALSE(client_->complete({}, {}));
  EXPECT_TRUE(client_->complete({}, {}));
}

}  // namespace
}  // namespace ctxmgr
