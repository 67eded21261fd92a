#include "engine/words/figure_words.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(FigureWordsTest, NumbersAndUnitsAreKnownInTheirLanguages) {
  EXPECT_EQ(number_word("zwölf")->digits, "12");
  EXPECT_EQ(number_word("sáu")->digits, "6");
  EXPECT_FALSE(number_word("house"));
  EXPECT_EQ(units_of("мг"), units_of("milligrams"));
  EXPECT_NE(units_of("mg"), units_of("g"));
  EXPECT_NE(units_of("m") & units_of("minutes"), 0U);
  EXPECT_NE(units_of("m") & units_of("million"), 0U);
  EXPECT_EQ(units_of("house"), 0U);
  EXPECT_TRUE(are_currencies(units_of("usd")));
  EXPECT_FALSE(are_currencies(units_of("mg")));
  EXPECT_FALSE(are_currencies(0));
}

TEST(FigureWordsTest, WhatIsAlsoAPlainWordSaysSo) {
  EXPECT_TRUE(number_word("once")->also_plain);
  EXPECT_FALSE(number_word("seven")->also_plain);
}

}  // namespace
}  // namespace ctxmgr::engine
