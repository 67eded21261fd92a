#include "adapters/curl/retry_after.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ctxmgr::http {
namespace {

using std::chrono::milliseconds;

const Timestamp now = Timestamp(std::chrono::seconds(784111777));  // Sun, 06 Nov 1994 08:49:37 GMT

struct Case {
  const char* ms;
  const char* plain;
  std::optional<milliseconds> expected;
};

constexpr milliseconds a_year = std::chrono::hours(24 * 365);

TEST(RetryAfterTest, ReadsEveryFormAndDropsJunk) {
  const std::array<Case, 28> cases = {{
      {"", "2", milliseconds(2000)},
      {"", " 2.5 ", milliseconds(2500)},
      {"300", "", milliseconds(300)},
      {"300.5", "9", milliseconds(301)},
      {"soon", "9", milliseconds(9000)},
      {"-5", "9", milliseconds(9000)},
      {"", "3600", milliseconds(3'600'000)},
      {"", "1e309", a_year},
      {"", "99999999999999999999999", a_year},
      {"", "-1e309", std::nullopt},
      {"", "NaN", std::nullopt},
      {"", "inf", std::nullopt},
      {"", "-5", std::nullopt},
      {"", "0", std::nullopt},
      {"", "1e-400", std::nullopt},
      {"", "soon", std::nullopt},
      {"", "2 seconds", std::nullopt},
      {"", "0x10", std::nullopt},
      {"", "", std::nullopt},
      {"", "Sun, 06 Nov 1994 08:49:57 GMT", milliseconds(20'000)},
      {"", "Sunday, 06-Nov-94 08:49:57 GMT", milliseconds(20'000)},
      {"", "Sun Nov  6 08:49:57 1994", milliseconds(20'000)},
      {"", "Fri, 31 Dec 9999 23:59:59 GMT", a_year},
      {"", "Sun, 06 Nov 1994 08:49:37 GMT", std::nullopt},
      {"", "Sat, 05 Nov 1994 08:49:37 GMT", std::nullopt},
      {"", "Sun, 06 Foo 1994 08:49:57 GMT", std::nullopt},
      {"", "Sun, 06 Nov 1994 25:49:57 GMT", std::nullopt},
      {"", "Sunday", std::nullopt},
  }};
  for (const auto& c : cases) {
    EXPECT_EQ(parse_retry_after(c.ms, c.plain, now), c.expected) << '"' << c.ms << "\" \"" << c.plain << '"';
  }
}

}  // namespace
}  // namespace ctxmgr::http
