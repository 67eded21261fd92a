#include "core/utf8.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace ctxmgr {
namespace {

const std::string replacement = "\xEF\xBF\xBD";

std::string random_text() {
  std::string text;
  for (const char32_t value : *rc::gen::container<std::u32string>(
           rc::gen::oneOf(rc::gen::inRange<char32_t>(0, 0x80), rc::gen::inRange<char32_t>(0x80, 0xD800),
                          rc::gen::inRange<char32_t>(0xE000, 0x110000)))) {
    utf8::append(text, value);
  }
  return text;
}

TEST(Utf8Test, DecodesEveryLength) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(utf8::decode(text, 0).value, U'a');
  EXPECT_EQ(utf8::decode(text, 1).value, U'\u00E9');
  EXPECT_EQ(utf8::decode(text, 3).value, U'\u20AC');
  EXPECT_EQ(utf8::decode(text, 6).value, U'\U0001F600');
  EXPECT_EQ(utf8::decode(text, 6).bytes, 4U);
}

TEST(Utf8Test, RefusesOverlongFormsSurrogatesAndValuesBeyondUnicode) {
  for (const char* bad :
       {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5", "\xFF", "\x80"}) {
    EXPECT_FALSE(utf8::is_valid(bad)) << bad;
  }
}

TEST(Utf8Test, RepairsOneReplacementForEachMaximalIllFormedRun) {
  EXPECT_EQ(utf8::repair("a\xE2\x82z"), "a" + replacement + "z");
  EXPECT_EQ(utf8::repair("\xC0\xAF"), replacement + replacement);
  EXPECT_EQ(utf8::repair("\xF0\x9F\x98"), replacement);
  EXPECT_EQ(utf8::repair("\xED\xA0\x80"), replacement + replacement + replacement);
}

TEST(Utf8Test, TellsAReplacementCharacterInTheTextFromAnIllFormedRun) {
  EXPECT_TRUE(utf8::is_valid("x" + replacement + "y"));
  EXPECT_FALSE(utf8::is_valid("12345678\xEF\xBF"));
  EXPECT_EQ(utf8::find_invalid("12345678\xEF\xBF"), 8U);
}

TEST(Utf8Test, FloorBoundaryNeverSplitsACodePoint) {
  const std::string text = "\xF0\x9F\x98\x80x";
  for (std::size_t pos = 0; pos < 4; ++pos) EXPECT_EQ(utf8::floor_boundary(text, pos), 0U);
  EXPECT_EQ(utf8::floor_boundary(text, 4), 4U);
  EXPECT_EQ(utf8::floor_boundary(text, 99), 5U);
}

TEST(Utf8Test, CuttingAtABoundaryLeavesValidTextAtEveryPosition) {
  rc::check([] {
    const std::string text = random_text();
    RC_ASSERT(utf8::is_valid(text));
    for (std::size_t pos = 0; pos <= text.size(); ++pos) {
      const std::size_t cut = utf8::floor_boundary(text, pos);
      RC_ASSERT(cut <= pos && pos - cut < 4);
      RC_ASSERT(utf8::is_valid(text.substr(0, cut)) && utf8::is_valid(text.substr(cut)));
    }
  });
}

TEST(Utf8Test, RepairMakesAnyBytesValidAndLeavesValidTextAlone) {
  rc::check([](const std::string& bytes) {
    const std::string repaired = utf8::repair(bytes);
    RC_ASSERT(utf8::is_valid(repaired));
    RC_ASSERT(utf8::repair(repaired) == repaired);
    RC_ASSERT(utf8::count_code_points(bytes) == utf8::count_code_points(repaired));
    RC_ASSERT((repaired == bytes) == utf8::is_valid(bytes));
  });
}

}  // namespace
}  // namespace ctxmgr
