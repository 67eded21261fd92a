#include "engine/words/figure_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> token_texts(const std::string& text) {
  std::vector<std::string> texts;
  for (const auto& token : figure_tokens(text)) texts.push_back(token.text);
  return texts;
}

TEST(FigureTokensTest, SignsBetweenLettersAndDigitsBelongToTheWord) {
  EXPECT_THAT(token_texts("See src/main.cpp, line 3.5 (db-03)."),
              ElementsAre("See", "src/main.cpp", "line", "3.5", "(", "db-03", ")"));
}

TEST(FigureTokensTest, OneSpellingForDashesApostrophesAndDigits) {
  EXPECT_THAT(token_texts("2–8 °C, 2024’te ٣٤ ３"), ElementsAre("2-8", "°", "C", "2024'te", "34", "3"));
}

TEST(FigureTokensTest, IdeographsStandAlone) {
  EXPECT_THAT(token_texts("18分钟x"), ElementsAre("18", "分", "钟", "x"));
}

TEST(FigureTokensTest, KnowsSentencesAndHeadings) {
  const auto tokens = figure_tokens("Main Points:\nAmara won. Then Priya");
  ASSERT_EQ(tokens.size(), 6U);
  EXPECT_TRUE(tokens[1].in_heading);
  EXPECT_TRUE(tokens[2].starts_sentence);
  EXPECT_FALSE(tokens[2].in_heading);
  EXPECT_TRUE(tokens[4].starts_sentence);
  EXPECT_TRUE(tokens[5].capital);
  EXPECT_FALSE(tokens[5].starts_sentence);
}

}  // namespace
}  // namespace ctxmgr::engine
