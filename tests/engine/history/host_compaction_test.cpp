#include "engine/history/host_compaction.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

struct Hook final : CompactionHook {
  std::vector<std::size_t> before_compaction(const CompactionEvent&) override { return keep; }
  std::string after_compaction(const CompactionEvent&) override {
    if (throws) throw 42;
    return text;
  }
  std::vector<std::size_t> keep;
  std::string text;
  bool throws = false;
};

class HostCompactionTest : public ::testing::Test {
 protected:
  HostCompactionTest() {
    for (int i = 0; i < 6; ++i) history_.push_back({Role::user, testing::words(20, "w" + std::to_string(i))});
    EXPECT_TRUE(thread_.extend(history_, *counter_));
    views_ = std::make_unique<ToolResultViews>(history_, thread_, retriever_, *counter_, nullptr);
    suffixes_ = std::make_unique<SuffixPlanner>(thread_, 5, *views_);
  }
  std::vector<std::size_t> kept(std::vector<std::size_t> numbers, std::size_t cut, std::int64_t most = 10'000) {
    hook_.keep = std::move(numbers);
    return groups_to_keep(hook_, {"", history_, report_}, thread_, *suffixes_, cut, most, notes_);
  }
  std::string said(const std::string& text, std::int64_t most = 10'000) {
    hook_.text = text;
    return text_of_host(hook_, {"", history_, report_}, *counter_, most, notes_);
  }

  std::vector<ConversationMessage> history_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  ThreadAnalysis thread_;
  Retriever retriever_;
  std::unique_ptr<ToolResultViews> views_;
  std::unique_ptr<SuffixPlanner> suffixes_;
  CompactionReport report_;
  std::vector<std::string> notes_;
  Hook hook_;
};

TEST_F(HostCompactionTest, SaysWhichMessagesAreHiddenThatWereNot) {
  const auto ranges = hidden_since({1, {}, {}}, {4, {}, {2}}, thread_, *suffixes_, 6, {});
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].first, 2);
  EXPECT_EQ(ranges[0].last, 2);
  EXPECT_EQ(ranges[1].first, 4);
  EXPECT_EQ(ranges[1].last, 4);
}

TEST_F(HostCompactionTest, WhatIsShownAllTheSameAndTheQuestionAreNotHidden) {
  EXPECT_TRUE(hidden_since({4, {}, {}}, {6, {}, {}}, thread_, *suffixes_, 6, {4}).empty());
}

TEST_F(HostCompactionTest, KeepsWhatTheHostNamesBeforeTheCutAndWithinItsShare) {
  EXPECT_EQ(kept({3, 1, 3, 0, 5, 99}, 4), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(kept({3, 1}, 4, thread_.tokens_of(2)), (std::vector<std::size_t>{2}));
}

TEST_F(HostCompactionTest, WhatTheHostSaysIsCutToWhatAStateCarriesAndToItsShare) {
  EXPECT_EQ(said("short"), "short");
  EXPECT_LE(said(std::string(5'000, 'x')).size(), 1'024U);
  const auto cut = said(testing::words(100), 60);
  EXPECT_FALSE(cut.empty());
  EXPECT_LE(counter_->count_message(host_message(cut)), 60);
  EXPECT_EQ(said("\xff"), "") << "a state is text";
}

TEST_F(HostCompactionTest, AHookThatThrowsSaysNothing) {
  hook_.throws = true;
  EXPECT_EQ(said("text"), "");
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_EQ(notes_[0], "the compaction hook threw after the compaction: it is made without it");
}

TEST_F(HostCompactionTest, NumbersThatNoMessageHasAreNamed) {
  kept({1, 6}, 4);
  EXPECT_TRUE(notes_.empty()) << "what is not cut stays anyhow";
  EXPECT_EQ(kept({0, 2, 99'999}, 4), (std::vector<std::size_t>{1}));
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_EQ(notes_[0], "the compaction hook named messages that are not there: 0, 99999. There are 6, counted from 1");
  kept({7, 8, 9, 10, 11, 12, 13}, 4);
  EXPECT_TRUE(testing::contains(notes_.back(), "7, 8, 9, 10, 11 and 2 more"));
}

}  // namespace
}  // namespace ctxmgr::engine
