#include "engine/planning/planning_cap.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(PlanningCapTest, WithoutALimitEverythingIsAllowed) {
  EXPECT_FALSE(PlanningCap().is_limited());
  EXPECT_TRUE(PlanningCap().allows(1'000'000'000));
  EXPECT_EQ(PlanningCap(PlanningPolicy{}, 5).within(7), 7);
}

TEST(PlanningCapTest, WhatTheThreadHasTakenCounts) {
  PlanningPolicy policy;
  policy.max_planning_tokens = 1'000;
  EXPECT_TRUE(PlanningCap(policy, 0).allows(1'000));
  EXPECT_FALSE(PlanningCap(policy, 0).allows(1'001));
  EXPECT_TRUE(PlanningCap(policy, 960).allows(40));
  EXPECT_FALSE(PlanningCap(policy, 960).allows(41));
  EXPECT_FALSE(PlanningCap(policy, 5'000).allows(1)) << "never below nothing";
}

TEST(PlanningCapTest, WhatIsTakenIsGoneAndWhatIsGivenBackIsThere) {
  PlanningPolicy policy;
  policy.max_planning_tokens = 50;
  PlanningCap cap(policy, 0);
  cap.take(40);
  EXPECT_FALSE(cap.allows(20));
  cap.take(-30);
  EXPECT_TRUE(cap.allows(40));
  EXPECT_EQ(cap.within(90), 40);
}

TEST(PlanningCapTest, AbsurdLimitsAllowNothing) {
  PlanningPolicy policy;
  policy.max_planning_tokens = -1;
  EXPECT_FALSE(PlanningCap(policy, 0).allows(1));
}

}  // namespace
}  // namespace ctxmgr::engine
