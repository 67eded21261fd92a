#include "engine/words/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Figure only(const std::string& text) {
  auto read = read_figures(text);
  EXPECT_EQ(read.figures.size(), 1U) << text;
  return read.figures.empty() ? Figure{} : read.figures[0];
}

TEST(FiguresTest, PointsAndCommasAreReadInEveryWayThatIsPossible) {
  EXPECT_THAT(only("1.234").values, UnorderedElementsAre(1234, 1.234));
  EXPECT_THAT(only("1,234,567").values, ElementsAre(1234567));
  EXPECT_THAT(only("1.234,56").values, ElementsAre(1234.56));
  EXPECT_THAT(only("3,5").values, ElementsAre(3.5));
  EXPECT_THAT(only("12 480 files").values, ElementsAre(12480));
  EXPECT_THAT(only("1'000").values, ElementsAre(1000));
}

TEST(FiguresTest, WordsScaleNumbersAndAreNumbers) {
  EXPECT_THAT(only("3.5M").values, ElementsAre(3500000));
  EXPECT_THAT(only("2,4 Millionen").values, ElementsAre(2400000));
  EXPECT_THAT(only("2.4万").values, ElementsAre(24000));
  EXPECT_THAT(only("cent mille").values, ElementsAre(100000));
  EXPECT_THAT(only("twenty-four").values, ElementsAre(24));
  EXPECT_THAT(only("vierundzwanzig").values, ElementsAre(24));
  EXPECT_THAT(only("on bir").values, ElementsAre(11));
  EXPECT_THAT(only("五十二").values, ElementsAre(52));
}

TEST(FiguresTest, AUnitIsReadBehindItsNumberAndACurrencyBeforeIt) {
  const auto milliseconds = only("480ms");
  EXPECT_EQ(milliseconds.unit.kind, MeasureUnit::Kind::time);
  EXPECT_DOUBLE_EQ(milliseconds.unit.factor, 1e-3);
  EXPECT_EQ(only("€79.90").unit.kind, MeasureUnit::Kind::euro);
  EXPECT_EQ(only("8 °C").unit.kind, MeasureUnit::Kind::temperature);
  EXPECT_EQ(only("40 por ciento").unit.kind, MeasureUnit::Kind::percent);
  EXPECT_EQ(only("18分钟").unit.factor, 60);
}

TEST(FiguresTest, DatesAreReadInTheOrdersInWhichTheyAreWritten) {
  for (const std::string text : {"2024-03-12", "12.03.2024", "12 March 2024", "March 12, 2024", "12. März 2024",
                                 "12 de marzo de 2024", "2024年3月12日", "12 марта 2024", "12 tháng 3 năm 2024"}) {
    const auto figure = only(text);
    ASSERT_FALSE(figure.dates.empty()) << text;
    EXPECT_EQ(figure.dates[0].year, 2024) << text;
    EXPECT_EQ(figure.dates[0].month, 3) << text;
    EXPECT_EQ(figure.dates[0].day, 12) << text;
  }
  EXPECT_EQ(only("3/12/2024").dates.size(), 2U);
  EXPECT_TRUE(read_figures("they may march").figures.empty());
}

TEST(FiguresTest, TimesOfDayAreMinutes) {
  EXPECT_THAT(only("14:05").values, ElementsAre(845));
  EXPECT_THAT(only("2:05 pm").values, ElementsAre(845));
  EXPECT_THAT(only("17 h 04").values, ElementsAre(1024));
  EXPECT_THAT(only("9 Uhr").values, ElementsAre(540));
}

TEST(FiguresTest, IdentifiersPathsAndVersionsAreNamesThatHaveToBeExact) {
  for (const std::string text : {"retry_count", "src/main.cpp", "runFaster", "LH1420", "a@b.example", "4.2.1"}) {
    const auto read = read_figures(text);
    ASSERT_EQ(read.names.size(), 1U) << text;
    EXPECT_TRUE(read.names[0].is_exact) << text;
  }
}

TEST(FiguresTest, AnyBytesAreRead) {
  for (const std::string text : {"\xFF\xFE 12", "", "....", "1-2-3-4-5-6-7", "12:", "1e999", "9999999999999999999999"})
    (void)read_figures(text);
  EXPECT_EQ(read_figures("\xFF 12 files").figures.size(), 1U);
}

}  // namespace
}  // namespace ctxmgr::engine
