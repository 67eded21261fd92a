#include "engine/build/artifact_set.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/testing/manual_clock.hpp"

namespace ctxmgr::engine {
namespace {

class ArtifactSetTest : public ::testing::Test {
 protected:
  ArtifactSetTest() {
    for (const char* text : {"one", "two words", "合同"}) documents_.push_back(make_document(text, text));
  }
  void update(std::size_t count) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < count; ++i) items.push_back({&documents_[i]});
    Pace pace(call_, clock_);
    set_.update(items, fingerprints(items), *counter_, pace);
  }

  std::vector<Artifact> documents_;
  std::shared_ptr<int> counted_ = std::make_shared<int>(0);
  std::unique_ptr<TokenCounter> counter_ = make_token_counter([counted = counted_](std::string_view text) {
    ++*counted;
    return static_cast<std::int64_t>(text.size());
  });
  testing::ManualClock clock_;
  CallOptions call_;
  ArtifactSet set_;
};

TEST_F(ArtifactSetTest, KnowsTokensAndCharacters) {
  update(3);
  EXPECT_EQ(set_.tokens(1), 9);
  EXPECT_EQ(set_.chars(2), 2);
  EXPECT_EQ(set_.index().size(), 3U);
}

TEST_F(ArtifactSetTest, GrowsByWhatIsNew) {
  update(2);
  *counted_ = 0;
  update(3);
  EXPECT_EQ(*counted_, 1);
  EXPECT_EQ(set_.size(), 3U);
}

TEST_F(ArtifactSetTest, WhatThereIsNoTimeToReadIsEstimated) {
  call_.deadline = clock_.steady_now();
  documents_[1].content = std::string(Pace::bytes_between_looks, 'x');
  update(3);
  EXPECT_EQ(set_.size(), 3U);
  EXPECT_EQ(set_.read(), 1U);
  EXPECT_EQ(set_.index().size(), 1U);
  EXPECT_EQ(*counted_, 1);
  EXPECT_EQ(set_.tokens(0), 3);
  EXPECT_EQ(set_.tokens(1), static_cast<std::int64_t>(Pace::bytes_between_looks / 4));
  call_.deadline.reset();
  update(3);
  EXPECT_EQ(set_.read(), 3U);
  EXPECT_EQ(set_.index().size(), 3U);
}

class NoArchive final : public ArtifactArchive {
  std::string reference_of(const Artifact&) const override { return {}; }
  Result<std::string> keep(const Artifact&, const CallOptions&) override { return std::string(); }
};

TEST_F(ArtifactSetTest, RemembersWhereItsItemsAreKeptForOneArchive) {
  update(2);
  auto archive = std::make_shared<NoArchive>();
  EXPECT_EQ(set_.reference(0, archive), "");
  set_.set_reference(1, archive, "one");
  EXPECT_EQ(set_.reference(1, archive), "one");
  EXPECT_EQ(set_.reference(0, archive), "");
  update(3);
  EXPECT_EQ(set_.reference(1, archive), "one");
  EXPECT_EQ(set_.reference(2, archive), "");
  const auto other = std::make_shared<NoArchive>();
  EXPECT_EQ(set_.reference(1, other), "");
  archive.reset();
  EXPECT_EQ(set_.reference(1, std::make_shared<NoArchive>()), "");
  set_.set_reference(0, other, "zero");
  EXPECT_EQ(set_.reference(0, other), "zero");
  EXPECT_EQ(set_.reference(1, other), "");
}

TEST_F(ArtifactSetTest, ATurnIsAnotherWhereTheQueryTheGoalOrTheListIs) {
  update(2);
  const auto turn = set_.turn("query", ContextGoal::synthesis);
  EXPECT_EQ(set_.turn("query", ContextGoal::synthesis), turn);
  EXPECT_FALSE(set_.turn("other", ContextGoal::synthesis) == turn);
  EXPECT_FALSE(set_.turn("query", ContextGoal::planning) == turn);
  update(3);
  EXPECT_FALSE(set_.turn("query", ContextGoal::synthesis) == turn);
}

TEST_F(ArtifactSetTest, IsMadeAnewWhereTheListChanged) {
  update(3);
  documents_[0].content = "another";
  update(2);
  EXPECT_EQ(set_.size(), 2U);
  EXPECT_EQ(set_.tokens(0), 7);
  EXPECT_EQ(set_.index().size(), 2U);
}

}  // namespace
}  // namespace ctxmgr::engine
