#include <gtest/gtest.h>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/testing/manual_clock.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;
using testing::ManualClock;
using testing::ScriptedLlmClient;

class RetryingLlmClientTest : public ::testing::Test {
 protected:
  [[nodiscard]] milliseconds elapsed() const {
    return std::chrono::duration_cast<milliseconds>(clock_->steady_now().time_since_epoch());
  }

  std::shared_ptr<ScriptedLlmClient> script_ = std::make_shared<ScriptedLlmClient>();
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::unique_ptr<LlmClient> client_ = make_retrying_llm_client(script_, {3, clock_});
};

TEST_F(RetryingLlmClientTest, RetriesWhatIsUnavailable) {
  script_->then_fail({ErrorCode::unavailable, ""}).then_fail({ErrorCode::unavailable, ""}).then_reply("there");
  EXPECT_EQ(text_of(client_->complete({}, {})->message), "there");
  EXPECT_GE(elapsed(), milliseconds(125 + 250));
  EXPECT_LE(elapsed(), milliseconds(500 + 1000));
}

TEST_F(RetryingLlmClientTest, WaitsAsLongAsTheServiceAsks) {
  script_->then_fail({ErrorCode::unavailable, "", milliseconds(2500)}).then_reply("there");
  EXPECT_TRUE(client_->complete({}, {}));
  EXPECT_EQ(elapsed(), milliseconds(2500));
}

TEST_F(RetryingLlmClientTest, GivesUpAfterItsAttempts) {
  for (int i = 0; i < 5; ++i) script_->then_fail({ErrorCode::unavailable, ""});
  EXPECT_EQ(client_->complete({}, {}).error().code, ErrorCode::unavailable);
  EXPECT_EQ(script_->requests().size(), 3U);
}

TEST_F(RetryingLlmClientTest, DoesNotWaitForAServiceThatWantsTooMuch) {
  script_->then_fail({ErrorCode::unavailable, "", milliseconds(121'000)});
  const auto result = client_->complete({}, {});
  EXPECT_EQ(result.error().retry_after, milliseconds(121'000));
  EXPECT_EQ(script_->requests().size(), 1U);
  EXPECT_EQ(elapsed(), milliseconds(0));
}

TEST_F(RetryingLlmClientTest, DoesNotWaitPastTheDeadline) {
  script_->then_fail({ErrorCode::unavailable, "", milliseconds(2000)});
  CallOptions call;
  call.deadline = clock_->steady_now() + milliseconds(1000);
  EXPECT_EQ(client_->complete({}, call).error().code, ErrorCode::unavailable);
  EXPECT_EQ(script_->requests().size(), 1U);
}

TEST_F(RetryingLlmClientTest, RetriesNothingElse) {
  for (const auto code : {ErrorCode::cancelled, ErrorCode::deadline_exceeded, ErrorCode::invalid_argument,
                          ErrorCode::denied, ErrorCode::bad_data, ErrorCode::context_length_exceeded}) {
    script_->then_fail({code, ""});
    EXPECT_EQ(client_->complete({}, {}).error().code, code);
  }
  EXPECT_EQ(script_->requests().size(), 6U);
}

TEST_F(RetryingLlmClientTest, OfManyOnlyTheFailedAreAskedAgain) {
  script_->then_reply("a").then_fail({ErrorCode::unavailable, ""}).then_fail({ErrorCode::denied, ""}).then_reply("b");
  std::vector<LlmRequest> requests(3);
  requests[1].model = "second";
  const auto results = client_->complete_all(requests, {});
  EXPECT_EQ(text_of(results[0]->message), "a");
  EXPECT_EQ(text_of(results[1]->message), "b");
  EXPECT_EQ(results[2].error().code, ErrorCode::denied);
  EXPECT_EQ(script_->requests().back().model, "second");
}

TEST_F(RetryingLlmClientTest, WhileMostCallsFailThereAreFewRetries) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(client_->complete({}, {}));
  EXPECT_LE(script_->requests().size(), 105U);
}

TEST_F(RetryingLlmClientTest, CancellationEndsTheWait) {
  script_->then_fail({ErrorCode::unavailable, ""});
  CallOptions call;
  call.cancellation = CancellationToken([&] { return !script_->requests().empty(); });
  const auto result = client_->complete({}, call);
  EXPECT_EQ(script_->requests().size(), 1U);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace ctxmgr
