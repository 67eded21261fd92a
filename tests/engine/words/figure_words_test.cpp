#include "engine/words/figure_words.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(FigureWordsTest, NumbersMonthsUnitsAndScalesAreKnownInTheirLanguages) {
  EXPECT_EQ(number_word("zwölf")->value, 12);
  EXPECT_EQ(number_word("sáu")->value, 6);
  EXPECT_FALSE(number_word("house"));
  EXPECT_EQ(month_of("августа"), 8);
  EXPECT_EQ(month_of("sept"), 9);
  EXPECT_EQ(month_of("house"), 0);
  EXPECT_EQ(unit_of("mg")->kind, MeasureUnit::Kind::mass);
  EXPECT_EQ(unit_of("tb")->factor, 1e12);
  EXPECT_FALSE(unit_of("house"));
  EXPECT_EQ(scale_of("млн"), 1e6);
  EXPECT_EQ(scale_of("house"), 0);
}

TEST(FigureWordsTest, WhatIsAlsoAPlainWordSaysSo) {
  EXPECT_TRUE(number_word("once")->also_plain);
  EXPECT_FALSE(number_word("seven")->also_plain);
  EXPECT_TRUE(is_plain_month("may"));
  EXPECT_FALSE(is_plain_month("june"));
}

}  // namespace
}  // namespace ctxmgr::engine
