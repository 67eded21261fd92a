#include "engine/summaries/summary_flight.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

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

TEST_F(SummaryFlightTest, TheFirstLeadsAndTheOthersFollow) {
  const auto first = claim();
  const auto second = claim();
  key_.focus = "dates";
  const auto elsewhere = claim();
  EXPECT_TRUE(first.is_leader());
  EXPECT_FALSE(second.is_leader());
  EXPECT_TRUE(elsewhere.is_leader());
}

TEST_F(SummaryFlightTest, GivesTheLeadersSummaryToThoseWhoPoll) {
  auto leader = claim();
  auto follower = claim();
  ASSERT_TRUE(leader.is_leader());
  EXPECT_EQ(follower.poll(), std::nullopt);
  leader.finish("Net 30.");
  EXPECT_EQ(follower.poll().value().value(), "Net 30.");
  EXPECT_EQ(cache_.lookup(key_), "Net 30.");
  EXPECT_TRUE(claim().is_leader()) << "an answered flight is over";
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

TEST_F(SummaryFlightTest, ANewcomerTakesAVacantLead) {
  auto leader = std::make_unique<SummaryFlight>(claim());
  auto second = claim();
  leader.reset();
  EXPECT_TRUE(claim().is_leader());
  EXPECT_EQ(second.poll(), std::nullopt);
  EXPECT_TRUE(second.is_leader()) << "the newcomer left at once";
}

TEST_F(SummaryFlightTest, WaitingForOneselfIsAnErrorAndNoDeadlock) {
  const auto leader = claim();
  auto follower = claim();
  EXPECT_EQ(follower.wait().value().error().code, ErrorCode::unavailable);
}

TEST_F(SummaryFlightTest, OverASharedStoreNobodyWaitsForASummaryWithoutAScope) {
  SummaryCacheOptions options;
  options.store = make_memory_key_value_store();
  cache_ = SummaryCache(options);
  key_.scope = "";
  const auto first = claim();
  const auto second = claim();
  EXPECT_TRUE(first.is_leader());
  EXPECT_TRUE(second.is_leader());
}

using SummaryFlightThreadsTest = SummaryFlightTest;

TEST_F(SummaryFlightThreadsTest, AWaiterLeavesAtItsOwnDeadlineOrCancellation) {
  const auto leader = claim();
  std::thread([&] {
    auto follower = claim();
    CallOptions late;
    late.deadline = std::chrono::steady_clock::time_point::min();
    EXPECT_EQ(follower.wait(late).value().error().code, ErrorCode::deadline_exceeded);
    const CallOptions cancelled{CancellationToken([] { return true; }), {}};
    EXPECT_EQ(follower.wait(cancelled).value().error().code, ErrorCode::cancelled);
  }).join();
  EXPECT_TRUE(leader.is_leader());
}

TEST_F(SummaryFlightThreadsTest, LeadersThatStepBackPassTheLeadOnUntilOneLands) {
  std::atomic<int> led{0};
  std::atomic<int> joined{0};
  constexpr int callers = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      auto flight = claim();
      ++joined;
      if (flight.is_leader()) {
        while (joined < callers) std::this_thread::yield();
      } else if (const auto answer = flight.wait()) {
        EXPECT_EQ(answer->value(), "answer");
        return;
      }
      // The first five give up.
      if (++led > 5) flight.finish("answer");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(led, 6);
}

}  // namespace
}  // namespace ctxmgr
