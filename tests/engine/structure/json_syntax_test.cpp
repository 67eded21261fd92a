#include "engine/structure/json_syntax.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "support/any_text.hpp"

namespace ctxmgr::engine {
namespace {

TEST(JsonSyntaxTest, OnlyWhatAParserTakesIsJson) {
  for (const char* json : {"{}", " [1, 2]\n", R"({"a": "]"})", "[[[]]]", "-1.50E+3"})
    EXPECT_TRUE(is_json(json)) << json;
  for (const char* other :
       {"", "[ Scene : Central Perk . Enter \"Ross\" ]", "[main] INFO \"x\" started [exit 1]", "{'a': \"it's\"}",
        R"({"a": 1,})", R"({a: "b"})", R"([1, 2] // "sum"])", R"({"a": NaN})", "{\"a\": 1} {\"b\": 2}", "[01]"})
    EXPECT_FALSE(is_json(other)) << other;
}

TEST(JsonSyntaxTest, AZeroByteEndsNoJson) {
  EXPECT_FALSE(is_json(std::string_view("{}\0 , }", 7)));
  EXPECT_FALSE(is_json(std::string_view("{}\0", 3)));
}

TEST(JsonSyntaxTest, JsonLinesAreObjectsOrArraysOneALine) {
  EXPECT_TRUE(is_json_lines("{\"a\": 1}\n\n[2]\r\n"));
  EXPECT_FALSE(is_json_lines("{\"a\": 1}\n"));
  EXPECT_FALSE(is_json_lines("{\"a\": 1}\n{\"a\": 2,}\n"));
  EXPECT_FALSE(is_json_lines("1\n2\n"));
  EXPECT_FALSE(is_json_lines("[main] start\n[exit] 1\n"));
}

TEST(JsonSyntaxTest, BlanksGoBetweenTokensAlone) {
  EXPECT_EQ(
      without_blanks(" { \"a b\" : \" \\\" x\\\\\" ,\n\t\"n\" : [ 1.0 , 1e5, 123456789012345678901 ], \"n\": -0 }\r\n"),
      "{\"a b\":\" \\\" x\\\\\",\"n\":[1.0,1e5,123456789012345678901],\"n\":-0}");
}

RC_GTEST_PROP(JsonSyntaxPropertyTest, AnyTextIsLookedAtWithoutHarm, ()) {
  const std::string text = *test::any_text();
  const bool whole = is_json(text);
  const std::string shorter = without_blanks(text);
  if (whole) RC_ASSERT(is_json(shorter));
  if (is_json_lines(text)) RC_ASSERT(!whole);
}

}  // namespace
}  // namespace ctxmgr::engine
