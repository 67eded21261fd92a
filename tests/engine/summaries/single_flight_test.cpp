#include "engine/summaries/single_flight.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace ctxmgr {
namespace {

using namespace std::chrono_literals;

class SingleFlightTest : public ::testing::Test {
 protected:
  SingleFlight::Ticket join(const std::string& key = "k") { return SingleFlight::join(table_, key); }

  std::shared_ptr<SingleFlight> table_ = std::make_shared<SingleFlight>();
};

TEST_F(SingleFlightTest, TheFirstLeadsAndTheOthersFollow) {
  const auto first = join();
  const auto second = join();
  const auto elsewhere = join("other");
  EXPECT_TRUE(first.is_leader());
  EXPECT_FALSE(second.is_leader());
  EXPECT_TRUE(elsewhere.is_leader());
}

TEST_F(SingleFlightTest, FollowersGetWhatTheLeaderLands) {
  auto leader = join();
  auto follower = join();
  EXPECT_EQ(follower.poll(), std::nullopt);
  leader.complete("answer");
  EXPECT_EQ(follower.poll().value().value(), "answer");
  EXPECT_TRUE(join().is_leader()) << "an answered flight is over";
}

TEST_F(SingleFlightTest, AFollowerLeadsWhenTheLeaderIsGone) {
  std::unique_ptr<SingleFlight::Ticket> leader(new SingleFlight::Ticket(join()));
  auto second = join();
  auto third = join();
  leader.reset();
  EXPECT_EQ(second.poll(), std::nullopt);
  EXPECT_TRUE(second.is_leader());
  EXPECT_EQ(third.poll(), std::nullopt);
  EXPECT_FALSE(third.is_leader());
}

TEST_F(SingleFlightTest, ANewcomerTakesAVacantLead) {
  std::unique_ptr<SingleFlight::Ticket> leader(new SingleFlight::Ticket(join()));
  auto second = join();
  leader.reset();
  EXPECT_TRUE(join().is_leader());
  EXPECT_EQ(second.poll(), std::nullopt);
  EXPECT_TRUE(second.is_leader()) << "the newcomer left at once";
}

TEST_F(SingleFlightTest, WaitingForOneselfIsAnErrorAndNoDeadlock) {
  const auto leader = join();
  auto follower = join();
  EXPECT_EQ(follower.wait(nullptr, {}).value().error().code, ErrorCode::unavailable);
}

TEST(SingleFlightThreadsTest, AWaiterLeavesAtItsOwnDeadlineOrCancellation) {
  const auto table = std::make_shared<SingleFlight>();
  const auto leader = SingleFlight::join(table, "k");
  std::thread([&] {
    auto follower = SingleFlight::join(table, "k");
    CallOptions late;
    late.deadline = std::chrono::steady_clock::time_point::min();
    EXPECT_EQ(follower.wait(nullptr, late).value().error().code, ErrorCode::deadline_exceeded);
    const CallOptions cancelled{CancellationToken([] { return true; }), {}};
    EXPECT_EQ(follower.wait(nullptr, cancelled).value().error().code, ErrorCode::cancelled);
  }).join();
  EXPECT_TRUE(leader.is_leader());
}

TEST(SingleFlightThreadsTest, LeadersThatStepBackPassTheLeadOnUntilOneLands) {
  const auto table = std::make_shared<SingleFlight>();
  std::atomic<int> led{0};
  std::atomic<int> joined{0};
  constexpr int callers = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      auto ticket = SingleFlight::join(table, "k");
      ++joined;
      if (ticket.is_leader()) {
        while (joined < callers) std::this_thread::yield();
      } else if (const auto answer = ticket.wait(nullptr, {})) {
        EXPECT_EQ(answer->value(), "answer");
        return;
      }
      // The first five give up.
      if (++led > 5) ticket.complete("answer");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(led, 6);
}

}  // namespace
}  // namespace ctxmgr
