#include "engine/planning/failed_summaries.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(FailedSummariesTest, ASummaryThatFailedIsLeftAloneForAMinute) {
  FailedSummaries failed;
  SummaryKey key;
  key.scope = "s";
  key.content_hash = "c";
  auto other = key;
  other.scope = "t";
  const FailedSummaries::Time now{};
  EXPECT_FALSE(failed.failed_lately(key, now));
  failed.add(key, now);
  EXPECT_TRUE(failed.failed_lately(key, now));
  EXPECT_TRUE(failed.failed_lately(key, now + std::chrono::seconds(59)));
  EXPECT_FALSE(failed.failed_lately(key, now + std::chrono::seconds(60)));
  EXPECT_FALSE(failed.failed_lately(other, now)) << "another scope's";
}

TEST(FailedSummariesTest, NotMoreFailuresAreKnownThanMemoryIsMeantFor) {
  FailedSummaries failed;
  SummaryKey key;
  for (int i = 0; i < 3'000; ++i) {
    key.content_hash = std::to_string(i);
    failed.add(key, {});
  }
  EXPECT_TRUE(failed.failed_lately(key, {}));
  key.content_hash = "0";
  EXPECT_FALSE(failed.failed_lately(key, {}));
}

}  // namespace
}  // namespace ctxmgr::engine
