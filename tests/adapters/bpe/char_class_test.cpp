#include "adapters/bpe/char_class.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::bpe {
namespace {

TEST(CharClassTest, TellsApartWhatTheSplitPatternsTellApart) {
  EXPECT_EQ(class_of(U'A'), CharClass::upper);
  EXPECT_EQ(class_of(U'\u01C5'), CharClass::upper);  // title case
  EXPECT_EQ(class_of(U'\u017F'), CharClass::lower);  // long s
  EXPECT_EQ(class_of(U'\u02B0'), CharClass::letter);
  EXPECT_EQ(class_of(U'漢'), CharClass::letter);
  EXPECT_EQ(class_of(U'\u0301'), CharClass::mark);
  EXPECT_EQ(class_of(U'Ⅻ'), CharClass::number);
  EXPECT_EQ(class_of(U'\u0085'), CharClass::space);
  EXPECT_EQ(class_of(U'\u180E'), CharClass::other);  // no longer white space
  EXPECT_EQ(class_of(U'\u200B'), CharClass::other);
  EXPECT_EQ(class_of(U'\r'), CharClass::newline);
  EXPECT_EQ(class_of(U'\u2028'), CharClass::space);
  EXPECT_EQ(class_of(U'\U00020000'), CharClass::letter);
  EXPECT_EQ(class_of(U'\U0010FFFF'), CharClass::other);
}

TEST(CharClassTest, UsesUnicode16) {
  EXPECT_EQ(class_of(U'\U00010D50'), CharClass::upper);  // Garay, new in 16.0
  EXPECT_EQ(class_of(U'\uA7DA'), CharClass::upper);      // Latin capital letter lambda, new in 16.0
  EXPECT_EQ(class_of(U'\U00010940'), CharClass::other);  // Sidetic, new in 17.0
}

TEST(CharClassTest, ReadsCharactersOfEveryLength) {
  EXPECT_EQ(char_at("aé漢😀", 0).bytes, 1);
  EXPECT_EQ(char_at("aé漢😀", 1).bytes, 2);
  EXPECT_EQ(char_at("aé漢😀", 3).bytes, 3);
  EXPECT_EQ(char_at("aé漢😀", 6).bytes, 4);
  EXPECT_EQ(char_at("a", 1).char_class, CharClass::end);
}

TEST(CharClassTest, RefusesWhatIsNotUtf8) {
  for (const char* text : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(char_at(text, 0).char_class, CharClass::malformed);
  }
}

TEST(CharClassTest, RepairsEachMaximalMalformedPartOnce) {
  EXPECT_EQ(repair_utf8("plain 漢"), "plain 漢");
  EXPECT_EQ(repair_utf8("\x80\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(repair_utf8("\xE2\x82|"), "\uFFFD|");                // cut short
  EXPECT_EQ(repair_utf8("\xF0\x9F\x98"), "\uFFFD");              // at the end
  EXPECT_EQ(repair_utf8("\xE0\x80\x80"), "\uFFFD\uFFFD\uFFFD");  // overlong
  EXPECT_EQ(repair_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
}

}  // namespace
}  // namespace ctxmgr::bpe
