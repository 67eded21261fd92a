#include "ports/deadline.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/testing/manual_clock.hpp"

namespace ctxmgr {
namespace {

TEST(DeadlineTest, IsOverAtItsTimeByTheGivenClock) {
  testing::ManualClock clock;
  CallOptions call;
  EXPECT_FALSE(is_over(call, clock)) << "without a deadline, never";
  call.deadline = clock.steady_now() + std::chrono::seconds(1);
  EXPECT_FALSE(is_over(call, clock));
  clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(is_over(call, clock));
}

TEST(PaceTest, WhatIsDoneInAMomentIsDoneWhateverTheDeadline) {
  testing::ManualClock clock;
  CallOptions call;
  call.deadline = clock.steady_now();
  Pace pace(call, clock);
  EXPECT_TRUE(pace.allows(Pace::bytes_between_looks - 1));
  EXPECT_TRUE(pace.allows(1));
  EXPECT_FALSE(pace.was_over());
  EXPECT_FALSE(pace.allows(1));
  EXPECT_TRUE(pace.was_over());
  EXPECT_FALSE(pace.allows(0)) << "once over, always";
}

TEST(PaceTest, GoesOnWhileThereIsTime) {
  testing::ManualClock clock;
  CallOptions call;
  call.deadline = clock.steady_now() + std::chrono::seconds(3);
  Pace pace(call, clock);
  int pieces = 0;
  for (; pieces < 100 && pace.allows(Pace::bytes_between_looks); ++pieces) clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(pieces, 3);
}

}  // namespace
}  // namespace ctxmgr
