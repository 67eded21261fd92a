#include "ctxmgr/testing/manual_clock.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ctxmgr::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr SteadyTime start{};

TEST(ManualClockTest, StandsStillUntilItIsTold) {
  ManualClock clock;
  EXPECT_EQ(clock.steady_now(), start);
  EXPECT_EQ(clock.now(), Timestamp{});
  clock.advance(milliseconds(1'500));
  EXPECT_EQ(clock.steady_now() - start, milliseconds(1'500));
  EXPECT_EQ(clock.now() - Timestamp{}, milliseconds(1'500));
}

TEST(ManualClockTest, NeverGoesBack) {
  ManualClock clock;
  clock.advance(hours(1));
  clock.advance(milliseconds(-5));
  clock.sleep_until(start, {});
  EXPECT_EQ(clock.steady_now() - start, hours(1));
}

TEST(ManualClockTest, SleepingMovesItToTheTimeAskedForOrToTheDeadline) {
  ManualClock clock;
  clock.sleep_until(start + hours(2), {});
  EXPECT_EQ(clock.steady_now() - start, hours(2));
  CallOptions call;
  call.deadline = start + hours(3);
  clock.sleep_until(SteadyTime::max(), call);
  EXPECT_EQ(clock.steady_now() - start, hours(3));
}

TEST(ManualClockTest, ACancelledSleepTakesNoTime) {
  ManualClock clock;
  CallOptions call;
  call.cancellation = CancellationToken([] { return true; });
  clock.sleep_until(start + hours(1), call);
  EXPECT_EQ(clock.steady_now(), start);
}

TEST(ManualClockThreadsTest, LosesNoAdvance) {
  ManualClock clock;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 250; ++i) {
        clock.advance(milliseconds(1));
        static_cast<void>(clock.now());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(clock.steady_now() - start, milliseconds(1'000));
}

}  // namespace
}  // namespace ctxmgr::testing
