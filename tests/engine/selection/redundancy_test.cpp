#include "engine/selection/redundancy.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/index/term_analysis.hpp"

namespace ctxmgr::engine {
namespace {

const std::string told = "the stripes of a zebra confuse every biting fly that tries to land on the moving animal";

ItemAnalysis analysis_of_text(const std::string& text) {
  TermAnalyzer analyzer;
  return analyze_item({text}, analyzer);
}

class ChosenWordsTest : public ::testing::Test {
 protected:
  /// Whether the first atom of a text is said by what was chosen of others.
  bool repeats(const std::string& text) const {
    const ItemAnalysis item = analysis_of_text(text);
    return words_.has(wording_of(item, 0));
  }

  void choose(const std::string& text) {
    const ItemAnalysis item = analysis_of_text(text);
    words_.add(wording_of(item, 0));
  }

  ChosenWords words_;
};

TEST_F(ChosenWordsTest, TheSameWordsRepeatEachOther) {
  EXPECT_FALSE(repeats(told));
  choose(told);
  EXPECT_TRUE(repeats(told));
}

TEST_F(ChosenWordsTest, AnotherNumberIsNoRepetition) {
  choose(told + " 17");
  EXPECT_TRUE(repeats(told + " 17"));
  EXPECT_FALSE(repeats(told + " 18"));
}

TEST_F(ChosenWordsTest, APatternIsTheWordsWithoutTheirNumbers) {
  const auto pattern = [](const std::string& text) { return pattern_of(analysis_of_text(text), 0); };
  EXPECT_EQ(pattern(told + " 17"), pattern(told + " 18"));
  EXPECT_NE(pattern(told + " 17"), pattern("17 " + told));
  EXPECT_EQ(pattern(told), 0U);
  EXPECT_EQ(pattern("room 17"), 0U);
}

TEST_F(ChosenWordsTest, AFewWordsRepeatNothing) {
  choose("yes it is");
  EXPECT_FALSE(repeats("yes it is"));
}

TEST_F(ChosenWordsTest, WhatIsTakenBackIsNotSaid) {
  const ItemAnalysis item = analysis_of_text(told);
  choose(told);
  words_.remove(wording_of(item, 0));
  EXPECT_FALSE(repeats(told));
}

}  // namespace
}  // namespace ctxmgr::engine
