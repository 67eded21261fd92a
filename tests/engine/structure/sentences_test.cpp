#include "engine/structure/sentences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SentencesTest, TheyEndAtMarksOfEveryScriptAndAtLineEnds) {
  EXPECT_THAT(sentences_of("One. Two! Three?\nFour"), ElementsAre("One.", "Two!", "Three?", "Four"));
  EXPECT_THAT(sentences_of("用中文。好的！"), ElementsAre("用中文。", "好的！"));
  EXPECT_THAT(sentences_of("हिंदी में लिखो। ठीक है।"), ElementsAre("हिंदी में लिखो।", "ठीक है।"));
}

TEST(SentencesTest, PointsInsideOfWordsEndNone) {
  EXPECT_THAT(sentences_of("Read a.py and 3.5 pages."), ElementsAre("Read a.py and 3.5 pages."));
  EXPECT_THAT(sentences_of(" \n "), IsEmpty());
}

TEST(SentencesTest, AQuoteOrABracketBehindTheMarkBelongsToIt) {
  EXPECT_THAT(sentences_of("He said \"No.\" Then he left (at last). We stayed."),
              ElementsAre("He said \"No.\"", "Then he left (at last).", "We stayed."));
}

}  // namespace
}  // namespace ctxmgr::engine
