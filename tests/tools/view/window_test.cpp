#include "view/window.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ctxpack::view::test {
namespace {

TEST(WindowTest, TheKindsAddUpToTheBudget) {
  ctxmgr::ContextUtilizationMetadata receipt;
  receipt.messages_limit = 1'000;
  receipt.input_tokens_used = 700;
  receipt.fixed_tokens = 50;
  receipt.tools_tokens = 30;
  receipt.breakdown.artifact_tokens = 200;
  receipt.breakdown.notes_tokens = 60;
  const auto window = window_of(receipt);
  EXPECT_EQ(window.of(Kind::fixed), 80);
  EXPECT_EQ(window.of(Kind::evidence), 200);
  EXPECT_EQ(window.of(Kind::notes), 60);
  EXPECT_EQ(window.of(Kind::history), 700 - 50 - 60 - 200);
  EXPECT_EQ(window.of(Kind::free), 300);
  EXPECT_EQ(window.total(), 1'030);
  EXPECT_EQ(window.used(), 730);
}

TEST(WindowTest, AReceiptThatMakesNoSenseMakesNoNegativeBlocks) {
  ctxmgr::ContextUtilizationMetadata receipt;
  receipt.input_tokens_used = 10;
  receipt.fixed_tokens = std::numeric_limits<std::int64_t>::max();
  receipt.tools_tokens = std::numeric_limits<std::int64_t>::min();
  receipt.breakdown.artifact_tokens = -7;
  for (const auto tokens : window_of(receipt).tokens) EXPECT_GE(tokens, 0);
  EXPECT_EQ(window_of(receipt).of(Kind::fixed), 10);
}

TEST(WindowTest, EveryKindHasAName) {
  for (const Kind kind : kinds) {
    EXPECT_NE(to_string(kind), "unknown");
    EXPECT_FALSE(meaning(kind).empty());
  }
}

}  // namespace
}  // namespace ctxpack::view::test
