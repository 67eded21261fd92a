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
  EXPECT_EQ(rank_tools(tools, "what will the forecast be?", {}), Order{0});
  EXPECT_EQ(rank_tools(tools, "book something", {}), Order{2});
  EXPECT_EQ(rank_tools(tools, "who is the recipient?", {}), Order{1});
  EXPECT_EQ(rank_tools(tools, "the nearest airport", {}), Order{2});
}

TEST(ToolRankingTest, TheBestComesFirst) {
  EXPECT_EQ(rank_tools(tools, "mail the weather forecast of the city", {}), (Order{0, 1}));
}

TEST(ToolRankingTest, AShortQuestionIsUnderstoodByTheTurnsBeforeIt) {
  EXPECT_EQ(rank_tools(tools, "and tomorrow?", {"user: the weather in Oslo"}), Order{0});
}

TEST(ToolRankingTest, NothingIsFoundForAQuestionWithoutAWordOfAny) {
  EXPECT_EQ(rank_tools(tools, "hello", {}), Order{});
  EXPECT_EQ(rank_tools({}, "weather", {}), Order{});
}

}  // namespace
}  // namespace ctxmgr::engine
