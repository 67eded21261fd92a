#include "engine/build/views.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

Item item_of(ItemKind kind) {
  Item item;
  item.kind = kind;
  return item;
}

Item result_of_step(std::size_t number) {
  auto item = item_of(ItemKind::step_result);
  item.step_result = number;
  return item;
}

TEST(ViewsTest, AnItemIsShownByItsEntryOfTheBlock) {
  Filled filled;
  filled.parts.block.entries = {{2, "third", "of the third"}, {0, "first", "of the first"}};
  ASSERT_NE(shown_text(filled, item_of(ItemKind::artifact), 0), nullptr);
  EXPECT_EQ(*shown_text(filled, item_of(ItemKind::artifact), 0), "of the first");
  EXPECT_EQ(*shown_text(filled, item_of(ItemKind::older_messages), 2), "of the third");
  EXPECT_EQ(shown_text(filled, item_of(ItemKind::artifact), 1), nullptr);
}

TEST(ViewsTest, AResultOfAStepIsShownInItsStep) {
  Filled filled;
  filled.parts.step_results = {"", "found"};
  filled.parts.block.entries = {{0, "header", "of another"}};
  EXPECT_EQ(shown_text(filled, result_of_step(0), 0), nullptr);
  ASSERT_NE(shown_text(filled, result_of_step(1), 0), nullptr);
  EXPECT_EQ(*shown_text(filled, result_of_step(1), 0), "found");
}

TEST(ViewsTest, WhatWasTakenOutOfTheBlockIsNotWhole) {
  Filled filled;
  filled.texts.resize(3);
  filled.texts[0].strategy = ProcessingStrategy::include_full;
  filled.texts[1].strategy = ProcessingStrategy::rag_extract;
  filled.texts[2].strategy = ProcessingStrategy::include_full;
  filled.parts.block.entries = {{0, "", "all"}, {1, "", "some"}};
  EXPECT_TRUE(is_whole(filled, item_of(ItemKind::artifact), 0));
  EXPECT_FALSE(is_whole(filled, item_of(ItemKind::artifact), 1));
  EXPECT_FALSE(is_whole(filled, item_of(ItemKind::artifact), 2));
}

TEST(ViewsTest, ExcerptsCountTheirLineEnds) {
  Layout layout;
  EXPECT_EQ(tokens_of_excerpts(layout), 0);
  layout.older.resize(2);
  layout.older[0].tokens = 5;
  layout.older[1].tokens = 7;
  EXPECT_EQ(tokens_of_excerpts(layout), 14);
}

}  // namespace
}  // namespace ctxmgr::engine
