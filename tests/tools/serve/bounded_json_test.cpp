#include "serve/bounded_json.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

TEST(BoundedJsonTest, WhatIsNestedTooDeepIsDiscarded) {
  constexpr std::size_t levels = 200'000;
  EXPECT_TRUE(read_json(std::string(levels, '[') + std::string(levels, ']')).is_discarded());
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  EXPECT_TRUE(read_json(objects + "1" + std::string(65, '}')).is_discarded());
  EXPECT_FALSE(read_json(std::string(64, '[') + std::string(64, ']')).is_discarded());
}

TEST(BoundedJsonTest, BracketsInsideOfTextAreText) {
  const auto value = read_json("{\"a\":\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"}");
  ASSERT_TRUE(value.is_object());
  EXPECT_EQ(string_at(value, "a").size(), 201U);
  EXPECT_EQ(string_at(value, "b"), "");
  EXPECT_EQ(member(read_json("7"), "a"), nullptr);
}

TEST(BoundedJsonTest, WhatIsNoneIsDiscardedAndBrokenTextIsRepaired) {
  for (const char* text : {"", "{", "[1,]", "\"\xFF\""}) EXPECT_TRUE(read_json(text).is_discarded()) << text;
  EXPECT_EQ(text_of("a\xFF"), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace ctxpack::serve::test
