#include "core/worded.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <vector>

namespace ctxmgr {
namespace {

TEST(WordedTest, PutsEachValueInItsPlace) {
  EXPECT_EQ(worded("{} of {} tokens", 3, std::int64_t{-12}), "3 of -12 tokens");
  EXPECT_EQ(worded("<{0}-{1}>{2}</{0}-{1}>", "data", std::string("x1"), std::string_view("a\0b", 3)),
            std::string("<data-x1>a\0b</data-x1>", 22));
  EXPECT_EQ(worded("nothing"), "nothing");
}

TEST(WordedTest, BracesOfAPatternAreDoubledAndThoseOfAValueAreNot) {
  EXPECT_EQ(worded(R"({{"a":{{{}}}}})", "{}"), R"({"a":{{}}})");
  EXPECT_EQ(worded("{} {x} {", "{0}"), "{0} {x} {");
}

TEST(WordedTest, AValueThatIsNotThereIsNothing) {
  EXPECT_EQ(worded("a{}b{}c", 1), "a1bc");
  EXPECT_EQ(worded("a{7}b", 1), "ab");
}

TEST(WordedTest, NumbersAreTheSameInEveryLocale) {
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(decimals(1234.567, 2), "1234.57");
  EXPECT_EQ(decimals(-0.05, 1), "-0.1");
  EXPECT_EQ(decimals(1e300, 0).size(), 301U);
  EXPECT_EQ(significant(0.15, 3), "0.15");
  EXPECT_EQ(significant(1234.0, 3), "1.23e+03");
  std::setlocale(LC_ALL, "C");
}

TEST(WordedTest, PadsInFront) {
  EXPECT_EQ(padded(42, 6, ' '), "    42");
  EXPECT_EQ(padded(1234567, 6, '0'), "1234567");
}

TEST(WordedTest, JoinsTextsAlsoEmptyOnes) {
  EXPECT_EQ(joined(std::vector<std::string>{"", "a", ""}, ", "), ", a, ");
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
}

}  // namespace
}  // namespace ctxmgr
