#include "engine/structure/dense_view.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

TEST(DenseViewTest, KeepsBlanksInsideStrings) {
  EXPECT_EQ(dense_view(R"({ "a b" : " \" x " , "c" : [ 1 , 2 ] })", ContentFormat::json),
            R"({"a b":" \" x ","c":[1,2]})");
}

TEST(DenseViewTest, KeepsOneJsonValueALine) {
  EXPECT_EQ(dense_view("{\"a\": 1}\n{\"a\": 2}\n", ContentFormat::json), "{\"a\":1}\n{\"a\":2}");
}

TEST(DenseViewTest, WhatNoParserTakesStaysAsItIs) {
  for (const char* text : {"[ Scene : The pier , \"Blue  Whale\" . ]\n\n[ They  leave . ]", "{'a':  \"it's\" }",
                           "[main] INFO  \"up\"\n[pool] INFO  {x}\n[exit 1]", "{ SELECT  \"id\" }", "[1,  2,]",
                           "{\"a\":  1} {\"b\":  2}", "{\"a\":  1}\n{\"b\":  2,}\n"})
    EXPECT_EQ(dense_view(text, ContentFormat::json), text);
}

TEST(DenseViewTest, NumbersKeepTheirDigitsAndDoubledKeysStay) {
  EXPECT_EQ(
      dense_view(R"({ "a": 1.0, "a": 1e5, "b": [ 123456789012345678901234567890, -0.00 ] })", ContentFormat::json),
      R"({"a":1.0,"a":1e5,"b":[123456789012345678901234567890,-0.00]})");
}

TEST(DenseViewTest, ArgumentsOfCallsLoseTheirBlanks) {
  EXPECT_EQ(dense_view("I  look.\n[call f({\"a\": \"b  c\", \"n\": 1.0})]\n[call g(x,  y)]", ContentFormat::text),
            "I  look.\n[call f({\"a\":\"b  c\",\"n\":1.0})]\n[call g(x,  y)]");
}

TEST(DenseViewTest, LeavesOtherTextsAlone) {
  const std::string text = "retrying  now\nretrying  now\nretrying  now\n\n\n\nend\n";
  for (const auto format : {ContentFormat::text, ContentFormat::log, ContentFormat::code})
    EXPECT_EQ(dense_view(text, format), text);
}

}  // namespace
}  // namespace ctxmgr::engine
