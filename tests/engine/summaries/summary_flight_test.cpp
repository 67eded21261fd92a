#include "engine/summaries/summary_flight.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

class SummaryFlightTest : public ::testing::Test {
 protected:
  SummaryFlightTest() {
    key_.scope = "session-1";
    key_.artifact_id = "a";
    key_.content_hash = "h";
    key_.focus = "prices";
    key_.target_tokens = 400;
  }

  SummaryFlight claim() const { return SummaryFlight::claim(cache_, key_); }

  SummaryKey key_;
  SummaryCache cache_;
};

TEST_F(SummaryFlightTest, GivesTheLeadersSummaryToThoseWhoPoll) {
  auto leader = claim();
  auto follower = claim();
  ASSERT_TRUE(leader.is_leader());
  EXPECT_EQ(follower.poll(), std::nullopt);
  leader.finish("Net 30.");
  EXPECT_EQ(follower.poll().value().value(), "Net 30.");
  EXPECT_EQ(cache_.lookup(key_), "Net 30.");
}

TEST_F(SummaryFlightTest, ALeadersFailureReachesThoseWhoWaitAndNobodyAfterThem) {
  auto leader = claim();
  auto follower = claim();
  leader.finish(fail(ErrorCode::unavailable, "down"));
  EXPECT_EQ(follower.poll().value().error().code, ErrorCode::unavailable);
  EXPECT_TRUE(claim().is_leader());
}

TEST_F(SummaryFlightTest, WhenALeaderIsCancelledOrDestroyedAFollowerLeads) {
  auto leader = claim();
  auto second = claim();
  leader.finish(fail(ErrorCode::cancelled, "cancelled"));
  EXPECT_EQ(second.poll(), std::nullopt);
  ASSERT_TRUE(second.is_leader());
  auto third = claim();
  { const auto gone = std::move(second); }
  EXPECT_EQ(third.poll(), std::nullopt);
  EXPECT_TRUE(third.is_leader());
}

TEST_F(SummaryFlightTest, WithoutAScopeNobodyWaitsForAnotherUsersSummary) {
  key_.scope = "";
  const auto first = claim();
  const auto second = claim();
  EXPECT_TRUE(first.is_leader());
  EXPECT_TRUE(second.is_leader());
}

}  // namespace
}  // namespace ctxmgr
