#include "engine/structure/full_stop.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ctxmgr::engine {
namespace {

/// The last stop of the left side.
FullStop stop(std::string_view left, std::string_view right) {
  return full_stop_at(std::string(left) + std::string(right), 0, left.size() - 1);
}

TEST(FullStopTest, OnesOfSentencesEndThem) {
  EXPECT_EQ(stop("The invoice is paid.", " That of April is not."), FullStop::ends);
  EXPECT_EQ(stop("The invoice is paid.", ""), FullStop::ends);
  EXPECT_EQ(stop("The layer has about 60 g.", " Mila likes it."), FullStop::ends);
  EXPECT_EQ(stop("It was in 2024.", " Then we moved."), FullStop::ends);
  EXPECT_EQ(stop("See src/late_fee.cpp.", " Mend it."), FullStop::ends);
  EXPECT_EQ(stop("Send it as a PDF.", " Never as text."), FullStop::ends);
  EXPECT_EQ(stop("Счёт оплачен.", " Спасибо."), FullStop::ends);
  EXPECT_EQ(stop("한국어로 답해 주세요.", " 항상."), FullStop::ends);
  EXPECT_EQ(stop("He lives with Dr. Weber.", " I do not."), FullStop::ends);
}

TEST(FullStopTest, OnesOfAbbreviationsDoNot) {
  EXPECT_EQ(stop("I saw Dr.", " Weber."), FullStop::inside);
  EXPECT_EQ(stop("I saw Prof.", " Weber."), FullStop::inside);
  EXPECT_EQ(stop("Das sind bzw.", " Monate."), FullStop::inside);
  EXPECT_EQ(stop("Живу на ул.", " Ленина."), FullStop::inside);
  EXPECT_EQ(stop("Η Δρ.", " Παππά."), FullStop::inside);
}

TEST(FullStopTest, OnesOfInitialsAndOfDaysMay) {
  EXPECT_EQ(stop("It was J.", " Cook."), FullStop::doubtful);
  EXPECT_EQ(stop("It was the S.M.A.R.T.", " Value."), FullStop::doubtful);
  EXPECT_EQ(stop("Wir zahlen z.B.", " Porto."), FullStop::doubtful);
  EXPECT_EQ(stop("Wir kommen am 3.", " Mai."), FullStop::doubtful);
}

TEST(FullStopTest, TheNumberOfAnItemEndsNothing) {
  EXPECT_EQ(stop("1.", " Read the files."), FullStop::inside);
  EXPECT_EQ(stop("102.", " Read the files."), FullStop::inside);
}

TEST(FullStopTest, WhoBeginsWithACapitalGoesOnWithASmallLetterOrAFigure) {
  EXPECT_EQ(stop("Our plan is for two resp.", " three."), FullStop::inside);
  EXPECT_EQ(stop("We are in room no.", " 7."), FullStop::inside);
  EXPECT_EQ(stop("i live in bremen.", " my dog is old."), FullStop::ends);
}

TEST(FullStopTest, AnyBytesWillDo) {
  std::string text;
  for (int i = 0; i < 2048; ++i) text += static_cast<char>((i * 37 + i / 11) % 256);
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '.') (void)full_stop_at(text, at / 2, at);
}

}  // namespace
}  // namespace ctxmgr::engine
