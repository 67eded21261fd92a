#include "engine/build/layout_search.hpp"

#include <string>
#include <utility>

#include "support/stages_fixture.hpp"

namespace ctxmgr::engine {
namespace {

class LayoutSearchTest : public StagesFixture {
 protected:
  std::optional<LayoutSearch> search(std::int64_t block_tokens) {
    layout_.block_tokens = block_tokens;
    return search_for(layout_input(), layout_, reuse_);
  }

  MessageTexts reuse_;
};

TEST_F(LayoutSearchTest, ABlockThatIsJustWorthItIsSearchedFor) {
  attach("one", "The answer to the question.");
  make_by_hand();
  prepared_->overhead_tokens = 20;
  prepared_->index_tokens = 10;
  EXPECT_TRUE(search(least_block_tokens + 30));
  EXPECT_FALSE(search(least_block_tokens + 29));
}

TEST_F(LayoutSearchTest, NothingIsFoundInNothing) {
  make_by_hand();
  const auto found = search(1'000);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->ranges.empty());
  EXPECT_TRUE(found->selection.chosen.empty());
}

TEST_F(LayoutSearchTest, WhereNothingIsSelectedNothingIsSearched) {
  request_.planning.mode = PlannerMode::none;
  attach("one", "The answer to the question.");
  make_by_hand();
  EXPECT_FALSE(selects(layout_input()));
  EXPECT_FALSE(search(1'000));
}

TEST_F(LayoutSearchTest, TheSameSearchIsRememberedAndFindsTheSame) {
  for (const char* id : {"one", "two"}) attach(id, "The answer to the question.");
  make_by_hand();
  const auto first = search(1'000);
  const auto second = search(1'000);
  ASSERT_TRUE(first && second);
  ASSERT_EQ(second->selection.chosen.size(), first->selection.chosen.size());
  for (std::size_t i = 0; i < first->selection.chosen.size(); ++i)
    EXPECT_EQ(second->selection.chosen[i].text, first->selection.chosen[i].text);
}

TEST_F(LayoutSearchTest, WhatIsFoundOfMessagesStandsBesideTheItems) {
  for (const char* id : {"one", "two"}) attach(id, "text");
  make_by_hand();
  // The ranges hold three messages, so that position 1 is message 4, and position 4 the second artifact.
  LayoutSearch found{{{3, 6}}, {}};
  found.selection.relevance = {0.9, 0.8, 0.7, 0.1, 0.2};
  found.selection.repeats = {2, 3};
  for (const std::size_t position : {1, 4}) {
    auto chosen = view_of(ArtifactView::extract, 4, "");
    chosen.index = position;
    chosen.relevance = 0.5;
    found.selection.chosen.push_back(std::move(chosen));
  }
  const auto layout = with_found(layout_input(), {}, std::move(found));
  ASSERT_EQ(layout.older.size(), 1U);
  EXPECT_EQ(layout.older[0].index, 4U);
  EXPECT_FALSE(layout.items[0]);
  EXPECT_TRUE(layout.items[1]);
  EXPECT_EQ(layout.relevance, (std::vector<double>{0.1, 0.5}));
  EXPECT_EQ(layout.repeats, std::vector<std::size_t>{0});
}

TEST_F(LayoutSearchTest, WithNothingFoundEachItemIsLeftOut) {
  attach("one", "text");
  make_by_hand();
  const auto layout = with_found(layout_input(), {}, std::nullopt);
  EXPECT_EQ(layout.items.size(), 1U);
  EXPECT_FALSE(layout.items[0]);
  EXPECT_EQ(layout.relevance, std::vector<double>{0.0});
}

TEST_F(LayoutSearchTest, WholeArtifactsAreAllThereInFull) {
  for (const char* id : {"one", "two"}) attach(id, "text");
  make_by_hand();
  const auto layout = with_whole_artifacts(layout_input(), {});
  ASSERT_EQ(layout.items.size(), 2U);
  EXPECT_EQ(layout.items[1]->text, "text");
  EXPECT_EQ(layout.items[1]->index, 1U);
  EXPECT_EQ(layout.relevance, (std::vector<double>{1.0, 1.0}));
}

}  // namespace
}  // namespace ctxmgr::engine
