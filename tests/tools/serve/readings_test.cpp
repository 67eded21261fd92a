#include "serve/readings.hpp"

#include <gtest/gtest.h>

#include "serve/bounded_json.hpp"

namespace ctxpack::serve::test {
namespace {

using nlohmann::ordered_json;

Round round_of(const char* turn) {
  Round round;
  round.turn = read_json(turn);
  return round;
}

TEST(ReadingsTest, WhatWasReadStandsBeforeTheAnswerThatItLedTo) {
  const std::string first = R"({"messages":[{"role":"user","content":"q"}]})";
  const auto kept =
      with_reading(Api::openai, first, {round_of(R"([{"role":"assistant","n":1},{"role":"tool","n":2}])")}, "");
  const auto later = read_json(with_readings(
      Api::openai, R"({"x":1,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]})", kept));
  ASSERT_EQ(later["messages"].size(), 4U);
  EXPECT_EQ(later["messages"][1]["n"], 1);
  EXPECT_EQ(later["messages"][2]["n"], 2);
  EXPECT_EQ(later["messages"][3]["content"], "a");
  EXPECT_EQ(later["x"], 1);
}

TEST(ReadingsTest, AnotherConversationOrOneThatWasChangedDoesNotGetIt) {
  const std::string first = R"({"messages":[{"role":"user","content":"q"}]})";
  const auto kept = with_reading(Api::openai, first, {round_of(R"([{"n":1}])")}, "");
  for (const std::string other : {R"({"messages":[{"role":"user","content":"p"}]})", "[]", "", "{\"messages\":3}"})
    EXPECT_EQ(with_readings(Api::openai, other, kept).find("\"n\""), std::string::npos) << other;
  for (const char* broken : {"", "[3]", "[{\"after\":3}]", "{"})
    EXPECT_EQ(read_json(with_readings(Api::openai, first, broken)), read_json(first));
}

TEST(ReadingsTest, BreakpointsOfACacheMayMove) {
  const std::string first =
      R"({"messages":[{"role":"user","content":[{"type":"text","text":"q","cache_control":{"type":"ephemeral"}}]}]})";
  const auto kept = with_reading(Api::anthropic, first, {round_of(R"([{"n":1}])")}, "");
  const std::string later = R"({"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]})";
  EXPECT_NE(with_readings(Api::anthropic, later, kept).find("\"n\""), std::string::npos);
}

TEST(ReadingsTest, ItemsOfResponsesAndATextInTheirPlace) {
  const auto kept = with_reading(Api::responses, R"({"input":"q"})", {round_of(R"([{"n":1}])")}, "");
  const auto later = read_json(
      with_readings(Api::responses, R"({"input":[{"role":"user","content":"q"},{"role":"assistant"}]})", kept));
  EXPECT_EQ(later["input"][1]["n"], 1);
}

TEST(ReadingsTest, TheOldestGoesFirst) {
  std::string kept;
  for (int i = 0; i < 10; ++i) {
    Round round;
    round.turn = ordered_json::array({{{"role", "tool"}, {"content", std::string(50'000, 'x')}}});
    kept = with_reading(Api::openai, R"({"messages":[{"n":)" + std::to_string(i) + "}]}", {round}, kept);
  }
  EXPECT_LE(kept.size(), std::size_t{256} << 10);
  EXPECT_EQ(read_json(kept).size(), 5U);
}

}  // namespace
}  // namespace ctxpack::serve::test
