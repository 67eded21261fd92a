#include "core/timestamp.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;

TEST(TimestampTest, WritesMillisecondsInUtc) {
  EXPECT_EQ(to_rfc3339(Timestamp(milliseconds(0))), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(Timestamp(milliseconds(1'795'167'000'123))), "2026-11-20T09:30:00.123Z");
  EXPECT_EQ(to_rfc3339(Timestamp(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(TimestampTest, ReadsOffsetsAndFractions) {
  const Timestamp noon(milliseconds(1'795'176'000'000));
  EXPECT_EQ(parse_rfc3339("2026-11-20T12:00:00Z"), noon);
  EXPECT_EQ(parse_rfc3339("2026-11-20 12:00:00"), noon);
  EXPECT_EQ(parse_rfc3339("2026-11-20T13:30:00+01:30"), noon);
  EXPECT_EQ(parse_rfc3339("2026-11-20T11:00:00-0100"), noon);
  EXPECT_EQ(parse_rfc3339("2026-11-20T12:00:00.1239999Z"), noon + milliseconds(123));
}

TEST(TimestampTest, RefusesWhatIsNoTime) {
  for (const char* bad : {"", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-20T24:00:00Z",
                          "2026-11-20T12:00:00.Z", "2026-11-20T12:00:00Zx", "9999-01-01T00:00:00Z",
                          "+026-01-01T00:00:00Z", "2026-11-20T12:00:00+1", "2026-1-20T12:00:00Z"}) {
    EXPECT_FALSE(parse_rfc3339(bad)) << bad;
  }
}

TEST(TimestampTest, EveryMillisecondOfTheClockComesBack) {
  rc::check([] {
    const Timestamp time(milliseconds(*rc::gen::inRange<long long>(-9'000'000'000'000, 9'000'000'000'000)));
    RC_ASSERT(parse_rfc3339(to_rfc3339(time)) == time);
  });
}

}  // namespace
}  // namespace ctxmgr
