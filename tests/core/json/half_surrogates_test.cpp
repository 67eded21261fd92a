#include "core/json/half_surrogates.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "core/json/json.hpp"
#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

std::string mended(std::string_view json) {
  const auto halves = mend_half_surrogates(json);
  return halves ? halves->text : std::string("as it was");
}

TEST(HalfSurrogatesTest, EscapesOfHalvesBecomeTheReplacementCharacterAndPairsStay) {
  EXPECT_EQ(mended(R"("a\ud83d b\uDE00")"), R"("a\ufffd b\ufffd")");
  EXPECT_EQ(mended(R"("\ud83d\ude00")"), "as it was");
  EXPECT_EQ(mended(R"("\ud83d\ud83d\ude00\ude00")"), R"("\ufffd\ud83d\ude00\ufffd")");
  EXPECT_EQ(mended(R"("\uD83d\n\uDE00")"), R"("\ufffd\n\ufffd")");
}

TEST(HalfSurrogatesTest, ABackslashThatIsEscapedBeginsNoEscape) {
  EXPECT_EQ(mended(R"("\\ud83d")"), "as it was");
  EXPECT_EQ(mended(R"("\\\ud83d")"), R"("\\\ufffd")");
  EXPECT_EQ(mended(R"("\ud8)"), "as it was");
}

TEST(HalfSurrogatesTest, TheirBytesBecomeItToo) {
  EXPECT_EQ(mended("\"a\xED\xA0\xBD b\""), "\"a\xEF\xBF\xBD b\"");
  EXPECT_EQ(mended("\"\xED\x95\x9C\""), "as it was");  // Hangul begins with the same byte.
  EXPECT_FALSE(parse_json("\"\xED\xA0\xBD \xFF\""));   // Other bytes are refused.
}

TEST(HalfSurrogatesTest, WhateverStandsAroundThemJsonIsReadAndStaysUtf8) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<std::string> pieces{"\\ud83d", "\\ude00",      "\\\\",         "\\n", "u",
                                          "d83d",    "\xED\xA0\xBD", "\xED\xB8\x80", "é"};
    std::string json = "\"";
    for (const auto piece :
         *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, pieces.size())))
      json += pieces[piece];
    json += '"';
    const auto read = parse_json(json);
    RC_ASSERT(read.has_value());
    RC_ASSERT(utf8::is_valid(read->string()));
    RC_ASSERT(dump_json(parse_json(dump_json(*read)).value()) == dump_json(*read));
  }));
}

}  // namespace
}  // namespace ctxmgr
