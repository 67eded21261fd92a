#include "engine/summaries/single_flight.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace ctxmgr {
namespace {

using namespace std::chrono_literals;

class FlightTableTest : public ::testing::Test {
 protected:
  FlightTable::Seat join(const std::string& key = "k") { return FlightTable::join(table_, key); }

  std::shared_ptr<FlightTable> table_ = std::make_shared<FlightTable>();
};

TEST_F(FlightTableTest, TheFirstLeadsAndTheOthersFollow) {
  const auto first = join();
  const auto second = join();
  const auto elsewhere = join("other");
  EXPECT_TRUE(first.is_leader());
  EXPECT_FALSE(second.is_leader());
  EXPECT_TRUE(elsewhere.is_leader());
}

TEST_F(FlightTableTest, FollowersGetWhatTheLeaderLands) {
  auto leader = join();
  auto follower = join();
  EXPECT_EQ(follower.poll(), std::nullopt);
  leader.land("answer");
  EXPECT_EQ(follower.poll().value().value(), "answer");
  EXPECT_TRUE(join().is_leader()) << "an answered flight is over";
}

TEST_F(FlightTableTest, AFollowerLeadsWhenTheLeaderIsGone) {
  std::unique_ptr<FlightTable::Seat> leader(new FlightTable::Seat(join()));
  auto second = join();
  auto third = join();
  leader.reset();
  EXPECT_EQ(second.poll(), std::nullopt);
  EXPECT_TRUE(second.is_leader());
  EXPECT_EQ(third.poll(), std::nullopt);
  EXPECT_FALSE(third.is_leader());
}

TEST_F(FlightTableTest, ANewcomerTakesAVacantLead) {
  std::unique_ptr<FlightTable::Seat> leader(new FlightTable::Seat(join()));
  auto second = join();
  leader.reset();
  EXPECT_TRUE(join().is_leader());
  EXPECT_EQ(second.poll(), std::nullopt);
  EXPECT_TRUE(second.is_leader()) << "the newcomer left at once";
}

TEST_F(FlightTableTest, WaitingForOneselfIsAnErrorAndNoDeadlock) {
  const auto leader = join();
  auto follower = join();
  EXPECT_EQ(follower.wait(nullptr, {}).value().error().code, ErrorCode::unavailable);
}

TEST(FlightTableThreadsTest, AWaiterLeavesAtItsOwnDeadlineOrCancellation) {
  const auto table = std::make_shared<FlightTable>();
  const auto leader = FlightTable::join(table, "k");
  std::thread([&] {
    auto follower = FlightTable::join(table, "k");
    CallOptions late;
    late.deadline = std::chrono::steady_clock::time_point::min();
    EXPECT_EQ(follower.wait(nullptr, late).value().error().code, ErrorCode::deadline_exceeded);
    const CallOptions cancelled{CancellationToken([] { return true; }), {}};
    EXPECT_EQ(follower.wait(nullptr, cancelled).value().error().code, ErrorCode::cancelled);
  }).join();
  EXPECT_TRUE(leader.is_leader());
}

TEST(FlightTableThreadsTest, LeadersThatStepBackPassTheLeadOnUntilOneLands) {
  const auto table = std::make_shared<FlightTable>();
  std::atomic<int> led{0};
  std::atomic<int> joined{0};
  constexpr int callers = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      auto seat = FlightTable::join(table, "k");
      ++joined;
      if (seat.is_leader()) {
        while (joined < callers) std::this_thread::yield();
      } else if (const auto answer = seat.wait(nullptr, {})) {
        EXPECT_EQ(answer->value(), "answer");
        return;
      }
      // The first five give up.
      if (++led > 5) seat.land("answer");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(led, 6);
}

}  // namespace
}  // namespace ctxmgr
