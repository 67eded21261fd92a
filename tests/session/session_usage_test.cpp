#include "session/session_usage.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

using Counted = SessionUsage::Counted;

TEST(SessionUsageTest, CountsOnceAndThenEstimates) {
  SessionUsage usage(1'000);
  int counts = 0;
  const auto count = [&]() -> Result<Counted> { return ++counts, Counted{100, 1}; };
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(usage.charge(100, count));
  EXPECT_EQ(counts, 1);
}

TEST(SessionUsageTest, RefusesWhatIsTooMuchWithoutCountingEachTime) {
  SessionUsage usage(1'000);
  int counts = 0;
  const auto count = [&]() -> Result<Counted> { return ++counts, Counted{950, 1}; };
  for (int i = 0; i < 17; ++i) EXPECT_EQ(usage.charge(100, count).error().code, ErrorCode::limit_exceeded);
  EXPECT_LE(counts, 2);
}

TEST(SessionUsageTest, CountsAgainOnceSomethingWasErased) {
  SessionUsage usage(1'000);
  std::size_t stored = 950;
  const auto count = [&]() -> Result<Counted> { return Counted{stored, 1}; };
  EXPECT_FALSE(usage.charge(100, count));
  stored = 0;
  EXPECT_FALSE(usage.charge(100, count)) << "nobody has told it";
  usage.recount();
  EXPECT_TRUE(usage.charge(100, count));
}

TEST(SessionUsageTest, CountsAMillionEntriesSeldom) {
  SessionUsage usage(1'000'000'000);
  std::size_t counted = 0;
  const auto count = [&]() -> Result<Counted> { return counted += 1'000'000, Counted{100'000'000, 1'000'000}; };
  for (int i = 0; i < 500'000; ++i) ASSERT_TRUE(usage.charge(1, count));
  EXPECT_LE(counted, 4u * 500'000);
}

TEST(SessionUsageTest, PassesOnThatTheStoreCannotCount) {
  SessionUsage usage(1'000);
  const auto failed = usage.charge(1, [] { return Result<Counted>(fail(ErrorCode::unavailable, "down")); });
  EXPECT_EQ(failed.error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace ctxmgr
