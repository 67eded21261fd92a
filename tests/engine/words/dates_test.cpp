#include "engine/words/dates.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

TEST(DatesTest, DatesAreReadInTheOrdersInWhichTheyAreWritten) {
  for (const std::string text : {"2024-03-12", "12.03.2024", "12 March 2024", "March 12, 2024", "12. März 2024",
                                 "12 de marzo de 2024", "2024年3月12日", "12 марта 2024"}) {
    const auto dates = dates_in(text);
    ASSERT_EQ(dates.size(), 1U) << text;
    EXPECT_EQ(dates[0].year, 2024) << text;
    EXPECT_EQ(dates[0].month, 3) << text;
    EXPECT_EQ(dates[0].day, 12) << text;
  }
  EXPECT_EQ(dates_in("3/12/2024").size(), 2U);
  EXPECT_TRUE(dates_in("they may march").empty());
}

TEST(DatesTest, AMonthIsKnownByItsNameAndItsAbbreviation) {
  EXPECT_EQ(month_of("августа"), 8);
  EXPECT_EQ(month_of("sept"), 9);
  EXPECT_EQ(month_of("house"), 0);
}

TEST(DatesTest, AnyBytesAreRead) {
  for (const std::string text : {"\xFF\xFE 12", "", "....", "1-2-3-4-5-6-7", "12:", "1e999", "9999999999999999999999"})
    EXPECT_TRUE(dates_in(text).empty()) << text;
}

}  // namespace
}  // namespace ctxmgr::engine
