#include "engine/tools/tool_ranking.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

using Order = std::vector<std::size_t>;

const std::vector<ToolDefinition> tools = {
    {"get_weather", "Forecasts for a city.", R"({"type":"object","properties":{"city":{"type":"string"}}})"},
    {"send_mail", "Writes to somebody.", R"({"type":"object","properties":{"recipient":{"type":"string"}}})"},
    {"book_flight", "Reserves seats.", R"({"type":"object","properties":{"departure":{"description":"airport"}}})"},
};

TEST(ToolRankingTest, AToolIsFoundByItsDescriptionItsNameAndItsParameters) {
  EXPECT_EQ(rank_tools(tools, "what will the forecast be?", {}, Retriever(0)), Order{0});
  EXPECT_EQ(rank_tools(tools, "book something", {}, Retriever(0)), Order{2});
  EXPECT_EQ(rank_tools(tools, "who is the recipient?", {}, Retriever(0)), Order{1});
  EXPECT_EQ(rank_tools(tools, "the nearest airport", {}, Retriever(0)), Order{2});
}

TEST(ToolRankingTest, TheBestComesFirst) {
  EXPECT_EQ(rank_tools(tools, "mail the weather forecast of the city", {}, Retriever(0)), (Order{0, 1}));
}

TEST(ToolRankingTest, AShortQuestionIsUnderstoodByTheTurnsBeforeIt) {
  EXPECT_EQ(rank_tools(tools, "and tomorrow?", {"user: the weather in Oslo"}, Retriever(0)), Order{0});
}

TEST(ToolRankingTest, WhatIsRememberedOfDefinitionsChangesNoOrder) {
  const Retriever remembers;
  auto others = tools;
  others[1].description = "Forecasts when a letter comes.";
  for (const auto& list : {tools, others, tools})
    for (const char* const query : {"what will the forecast be?", "mail the weather forecast of the city", "airport"})
      EXPECT_EQ(rank_tools(list, query, {}, remembers), rank_tools(list, query, {}, Retriever(0))) << query;
}

TEST(ToolRankingTest, NothingIsFoundForAQuestionWithoutAWordOfAny) {
  EXPECT_EQ(rank_tools(tools, "hello", {}, Retriever(0)), Order{});
  EXPECT_EQ(rank_tools({}, "weather", {}, Retriever(0)), Order{});
}

}  // namespace
}  // namespace ctxmgr::engine
