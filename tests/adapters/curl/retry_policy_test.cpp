#include "adapters/curl/retry_policy.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;

TEST(RetryPolicyTest, BackoffDoublesUpToEightSeconds) {
  EXPECT_EQ(backoff_delay(0, 1), milliseconds(500));
  EXPECT_EQ(backoff_delay(1, 1), milliseconds(1000));
  EXPECT_EQ(backoff_delay(4, 1), milliseconds(8000));
  EXPECT_EQ(backoff_delay(60, 1), milliseconds(8000));
  EXPECT_EQ(backoff_delay(0, 0.25), milliseconds(125));
}

TEST(RetryPolicyTest, JitterStaysBetweenAQuarterAndOneAndVaries) {
  Jitter jitter(7);
  const double first = jitter.fraction();
  bool varies = false;
  for (int i = 0; i < 1000; ++i) {
    const double fraction = jitter.fraction();
    ASSERT_GE(fraction, 0.25);
    ASSERT_LT(fraction, 1);
    varies = varies || fraction != first;
  }
  EXPECT_TRUE(varies);
}

TEST(RetryPolicyTest, AfterFiveFailuresThereAreNoRetries) {
  RetryBudget budget;
  int retries = 0;
  for (int i = 0; i < 200; ++i) {
    budget.on_failure(false);
    if (!budget.acquire(200)) continue;
    ++retries;
    budget.release();
  }
  EXPECT_EQ(retries, 4);
}

TEST(RetryPolicyTest, TimeoutsCostDouble) {
  RetryBudget budget;
  budget.on_failure(true);
  budget.on_failure(true);
  EXPECT_TRUE(budget.acquire(1));
  budget.on_failure(true);
  EXPECT_FALSE(budget.acquire(1));
}

TEST(RetryPolicyTest, SuccessesEarnRetriesBack) {
  RetryBudget budget;
  for (int i = 0; i < 6; ++i) budget.on_failure(false);
  EXPECT_FALSE(budget.acquire(1));
  for (int i = 0; i < 11; ++i) budget.on_success();
  EXPECT_TRUE(budget.acquire(1));
}

TEST(RetryPolicyTest, ThreeRetriesAtATimeOrAFifthOfTheCalls) {
  RetryBudget budget;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.acquire(5));
  EXPECT_FALSE(budget.acquire(5));
  EXPECT_TRUE(budget.acquire(20));
  budget.release();
  budget.release();
  EXPECT_TRUE(budget.acquire(5));
}

}  // namespace
}  // namespace ctxmgr
