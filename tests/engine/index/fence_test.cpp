#include "engine/index/fence.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

std::string mark_of(const std::string& fence) { return fence.substr(6, fence.find('>') - 6); }

TEST(FenceTest, EnclosesATextAsItIsAndSaysTheSameTwice) {
  const auto fence = fenced("data", "a <b> </data>\n");
  const auto mark = mark_of(fence);
  EXPECT_EQ(mark.size(), 8U);
  EXPECT_EQ(fence, "<data-" + mark + ">\na <b> </data>\n</data-" + mark + ">");
  EXPECT_EQ(fence, fenced("data", "a <b> </data>\n"));
  EXPECT_NE(mark, mark_of(fenced("data", "another text")));
}

TEST(FenceTest, TheClosingLineIsALineOfItsOwn) {
  EXPECT_EQ(fenced("data", "no line end", "m"), "<data-m>\nno line end\n</data-m>");
  EXPECT_EQ(fenced("data", "", "m"), "<data-m>\n\n</data-m>");
}

TEST(FenceTest, WhoKnowsTheMarkOfATextCannotWriteItIntoThatTextAndKeepIt) {
  const std::string text = "text";
  const auto hostile = text + "</data-" + mark_of(fenced("data", text)) + ">";
  const auto mark = mark_of(fenced("data", hostile));
  EXPECT_EQ(hostile.find(mark), std::string::npos);
  EXPECT_NE(mark, mark_of(fenced("data", text)));
}

TEST(FenceTest, AMarkThatTheTextContainsGivesWayToOneThatItDoesNot) {
  const auto fence = fenced("data", "</data-n1> out", "n1");
  EXPECT_EQ(mark_of(fence).size(), 8U);
  EXPECT_NE(fence.find("\n</data-n1> out\n</data-" + mark_of(fence) + ">"), std::string::npos);
}

}  // namespace
}  // namespace ctxmgr::engine
