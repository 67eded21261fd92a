#include "ctxmgr/ports/clock.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace ctxmgr {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(SystemClockTest, SleepsUntilTheTimeAskedFor) {
  const auto clock = make_system_clock();
  const auto wake_up = clock->steady_now() + milliseconds(30);
  clock->sleep_until(wake_up, {});
  EXPECT_GE(clock->steady_now(), wake_up);
}

TEST(SystemClockTest, SleepsNotAtAllUntilATimeThatIsPast) {
  const auto clock = make_system_clock();
  int polls = 0;
  CallOptions call;
  call.cancellation = CancellationToken([&] { return ++polls > 1; });
  clock->sleep_until(clock->steady_now() - hours(1), call);
  EXPECT_EQ(polls, 1);
}

TEST(SystemClockTest, WakesUpAtTheDeadlineWhereThatIsEarlier) {
  const auto clock = make_system_clock();
  CallOptions call;
  call.deadline = clock->steady_now() + milliseconds(5);
  const auto wake_up = clock->steady_now() + hours(1);
  clock->sleep_until(wake_up, call);
  EXPECT_GE(clock->steady_now(), *call.deadline);
  EXPECT_LT(clock->steady_now(), wake_up);
}

TEST(SystemClockTest, WakesUpOnCancellation) {
  const auto clock = make_system_clock();
  int polls = 0;
  CallOptions call;
  call.cancellation = CancellationToken([&] { return ++polls == 3; });
  clock->sleep_until(std::chrono::steady_clock::time_point::max(), call);
  EXPECT_EQ(polls, 3);
}

TEST(SystemClockTest, AsksForCancellationAtLeastEvery50Milliseconds) {
  const auto clock = make_system_clock();
  int polls = 0;
  CallOptions call;
  call.cancellation = CancellationToken([&] { return ++polls == 5; });

  clock->sleep_until(clock->steady_now() + milliseconds(300), call);
  // Four naps of 50 ms would end well before: only a machine that stands still makes this take the whole time.
  EXPECT_EQ(polls, 5);
}

TEST(SystemClockTest, TellsTheTimeOfDay) {
  const auto before = std::chrono::system_clock::now();
  const auto now = make_system_clock()->now();
  EXPECT_GE(now, before);
  EXPECT_LE(now, std::chrono::system_clock::now());
}

}  // namespace
}  // namespace ctxmgr
