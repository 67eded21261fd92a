#include "engine/history/pins.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

class PinsTest : public ::testing::Test {
 protected:
  void pin(std::size_t words) {
    history_.push_back({Role::user, testing::words(words)});
    history_.back().retention = Retention::pinned;
  }
  std::vector<std::size_t> released(std::int64_t room) {
    EXPECT_TRUE(thread_.extend(history_, *counter_));
    return pins_that_give_way(thread_, history_.size(), room);
  }

  std::vector<ConversationMessage> history_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  ThreadAnalysis thread_{ToolRules{{"search", ToolRetention::never_cut}}};
};

TEST_F(PinsTest, WhatFitsInHalfOfTheRoomStays) {
  pin(100);
  pin(100);
  EXPECT_TRUE(released(10'000).empty());
}

TEST_F(PinsTest, TheOldestGiveWayFirst) {
  for (int i = 0; i < 4; ++i) pin(100);
  const auto each = counter_->count_message(history_.front());
  EXPECT_EQ(released(each * 6), (std::vector<std::size_t>{0, 1}));
}

TEST_F(PinsTest, WhatARulePinnedGivesWayBeforeWhatTheHostMarked) {
  pin(100);
  history_.push_back(testing::tool_call("a"));
  history_.push_back(testing::tool_result("a", testing::words(100)));
  pin(100);
  const auto each = counter_->count_message(history_.front());
  EXPECT_EQ(released(each * 5), (std::vector<std::size_t>{1}));
}

TEST_F(PinsTest, WhatGaveWayIsNoPinAnyMoreAndStaysReleased) {
  for (int i = 0; i < 4; ++i) pin(100);
  const auto room = counter_->count_message(history_.front()) * 6;
  EXPECT_TRUE(thread_.release(released(room), history_));
  EXPECT_FALSE(thread_.groups()[0].fixed);
  EXPECT_TRUE(thread_.groups()[3].fixed);
  EXPECT_EQ(thread_.fixed_groups().size(), 2U);
  pin(1);
  EXPECT_EQ(released(room), (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace ctxmgr::engine
