#include "engine/history/cut_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

using testing::HasSubstr;
using testing::Not;

std::int64_t count(std::string_view text) { return static_cast<std::int64_t>((text.size() + 3) / 4); }

TEST(CutCallsTest, CallsOfAToolShareALineAndEachArgumentStandsOnce) {
  EXPECT_EQ(collapsed_calls({{3, "read", "a.h"}, {5, "read", "b.h"}, {7, "ls"}, {9, "read", "a.h"}}, 100, count),
            "[3-9] 3 calls of read: a.h (2), b.h\n"
            "[7] ls\n");
}

TEST(CutCallsTest, ArgumentsComeBeforeHandlesAndTheNewestBeforeOlderOnes) {
  const std::vector<CutCall> calls{
      {1, "read", "oldest.h", "artifact:1"}, {3, "read", "middle.h", ""}, {5, "read", "newest.h", "artifact:3"}};
  EXPECT_EQ(collapsed_calls(calls, 100, count),
            "[1-5] 3 calls of read: oldest.h <artifact:1>, middle.h, newest.h <artifact:3>\n");
  EXPECT_EQ(collapsed_calls(calls, 25, count), "[1-5] 3 calls of read: oldest.h, middle.h, newest.h <artifact:3>\n");
  EXPECT_EQ(collapsed_calls(calls, 15, count), "[1-5] 3 calls of read: newest.h, 2 others\n");
  EXPECT_EQ(collapsed_calls(calls, 10, count), "[1-5] 3 calls of read\n");
}

TEST(CutCallsTest, TheLimitHoldsWhateverItIs) {
  std::vector<CutCall> calls;
  for (std::size_t i = 0; i < 200; ++i)
    calls.push_back({static_cast<std::int64_t>(i), "tool_" + std::to_string(i % 7),
                     "argument " + std::to_string(i % 31), "artifact:" + std::to_string(i)});
  std::size_t shown = 0;
  for (std::int64_t limit = 0; limit < 3'000; limit += 13) {
    const auto text = collapsed_calls(calls, limit, count);
    EXPECT_LE(count(text), limit);
    if (limit >= 200) {
      EXPECT_THAT(text, HasSubstr("calls of tool_0"));
    }
    shown = std::max(shown, text.size());
  }
  EXPECT_GT(shown, 4'000U);
}

TEST(CutCallsTest, AToolsNameIsWorthMoreThanArgumentsOfAnother) {
  EXPECT_THAT(collapsed_calls({{0, "wire_money", "A"}, {2, "read", std::string(40, 'x')}}, 16, count),
              testing::AllOf(HasSubstr("wire_money"), Not(HasSubstr("xxx"))));
}

TEST(CutCallsTest, ACallIsKnownByItsFirstArgumentThatIsNoNumber) {
  EXPECT_EQ(key_of_call({"1", "read", R"({"path":"src/a.cpp","from":61})", {}}), "src/a.cpp");
  EXPECT_EQ(key_of_call({"1", "read", R"({"from":61,"path":"src/a.cpp"})", {}}), "src/a.cpp");
  EXPECT_EQ(key_of_call({"1", "page", R"({"n":61})", {}}), "61");
  EXPECT_EQ(key_of_call({"1", "bash", R"({"cmd":"ls a, b\nls c"})", {}}), "ls a, b ls c");
  EXPECT_EQ(key_of_call({"1", "ls", "{}", {}}), "");
  EXPECT_EQ(key_of_call({"1", "bash", "no json", {}}), "no json");
}

}  // namespace
}  // namespace ctxmgr::engine
