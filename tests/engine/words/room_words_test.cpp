#include "engine/words/room_words.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(RoomWordsTest, FiguresStandInGroupsOfThreeAndNothingIsFreeOfWhatIsOver) {
  EXPECT_EQ(words_of_room(19'600, 32'000), "12 400 of 32 000 tokens are free.");
  EXPECT_EQ(words_of_room(1, 1'000'000), "999 999 of 1 000 000 tokens are free.");
  EXPECT_EQ(words_of_room(0, 900), "900 of 900 tokens are free.");
  EXPECT_EQ(words_of_room(901, 900), "0 of 900 tokens are free.");
}

}  // namespace
}  // namespace ctxmgr::engine
