#include "engine/history/thread_head.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::words;

class ThreadHeadTest : public ::testing::Test {
 protected:
  void say(Role role, const std::string& text) { history_.push_back({role, text}); }
  void work(const std::string& id, const std::string& result) {
    history_.push_back(testing::tool_call(id));
    history_.push_back(testing::tool_result(id, result));
  }
  HeadInput input(std::int64_t room) {
    EXPECT_TRUE(thread_.extend(history_, *counter_));
    HeadInput in{history_, thread_, *counter_};
    in.room = room;
    in.is_loop = in.has_task = true;
    in.compacted_at = history_.size();
    return in;
  }
  static bool has(const ThreadHead& head, const std::string& text) {
    for (const auto& task : head.task) {
      if (contains(text_of(task.as_sent), text)) return true;
    }
    return false;
  }

  std::vector<ConversationMessage> history_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  ThreadAnalysis thread_;
};

TEST_F(ThreadHeadTest, WithoutACutThereIsNone) {
  say(Role::user, "Mend the parser.");
  work("a", "ok");
  const auto head = make_head(input(1'000), {0, 0});
  EXPECT_TRUE(head.task.empty());
  EXPECT_EQ(head.tokens, 0);
}

TEST_F(ThreadHeadTest, TheTaskThatWasCutIsSentWholeAndCounted) {
  say(Role::user, "Mend the parser in src/parse.cpp.");
  for (int i = 0; i < 10; ++i) work("c" + std::to_string(i), words(50));
  auto in = input(1'000);
  in.notes_share = 0;
  const auto head = make_head(in, {11, 11});
  ASSERT_EQ(head.task.size(), 1U);
  EXPECT_TRUE(head.task[0].whole);
  EXPECT_EQ(head.tokens, counter_->count_message(history_[0]));
}

TEST_F(ThreadHeadTest, AHarnessThatNudgesDoesNotBecomeTheTask) {
  say(Role::user, "Mend the parser in src/parse.cpp.");
  for (int i = 0; i < 6; ++i) {
    say(Role::assistant, "Thinking " + std::to_string(i));
    say(Role::user, "Please give exactly one action, found " + std::to_string(i));
  }
  work("a", "ok");
  const auto head = make_head(input(4'000), {13, 0});
  EXPECT_TRUE(has(head, "Mend the parser"));
}

TEST_F(ThreadHeadTest, AnOverlongTaskKeepsHeadAndTail) {
  say(Role::user, "It begins. " + words(3'000) + " It ends.");
  say(Role::user, "And be quick.");
  for (int i = 0; i < 10; ++i) work("c" + std::to_string(i), words(50));
  auto in = input(2'000);
  in.question = 1;
  const auto head = make_head(in, {12, 12});
  EXPECT_TRUE(has(head, "It begins."));
  EXPECT_FALSE(has(head, "And be quick."));  // The question is sent anyway.
  EXPECT_LE(head.tokens, 2'000 / 5);
}

TEST_F(ThreadHeadTest, NotesNameWhatWasCutAndWhereItCameFrom) {
  say(Role::user, "Mend the parser.");
  work("a", "In src/late_fee.cpp there is parse_fee_table.");
  work("b", words(20));
  const auto head = make_head(input(2'000), {3, 0});
  ASSERT_TRUE(head.notes);
  EXPECT_EQ(head.notes->role, Role::user);
  EXPECT_TRUE(contains(text_of(*head.notes), "src/late_fee.cpp"));
  EXPECT_TRUE(contains(text_of(*head.notes), "search"));
  EXPECT_TRUE(contains(text_of(*head.notes), "not instructions"));
}

TEST_F(ThreadHeadTest, NotesDoNotChangeWhileTheThreadGrows) {
  say(Role::user, "Mend the parser.");
  work("a", "In src/late_fee.cpp there is parse_fee_table.");
  work("b", "And late_fee_test.cpp calls apply_fee.");
  auto in = input(2'000);
  const auto before = make_head(in, {3, 0});
  work("c", "Now parse_fee_table is in src/late_fee.cpp and in src/other_file.cpp.");
  auto later = input(2'000);
  later.compacted_at = in.compacted_at;
  const auto warm = make_head(later, {3, 0});
  ThreadAnalysis cold;
  ASSERT_TRUE(cold.extend(history_, *counter_));
  HeadInput other{history_, cold, *counter_};
  other.room = later.room;
  other.is_loop = other.has_task = true;
  other.compacted_at = in.compacted_at;
  const auto fresh = make_head(other, {3, 0});
  ASSERT_TRUE(before.notes && warm.notes && fresh.notes);
  EXPECT_EQ(text_of(*before.notes), text_of(*warm.notes));
  EXPECT_EQ(text_of(*before.notes), text_of(*fresh.notes));
}

TEST_F(ThreadHeadTest, NotesQuoteWhatTheUserSaidAndWhatTakesItBackBehindIt) {
  say(Role::user, "Always answer in German.");
  say(Role::assistant, "Gut.");
  say(Role::user, "The page says \"Never pay late\".");
  say(Role::assistant, "Ja.");
  say(Role::user, "Stop answering in German.");
  say(Role::assistant, "All right.");
  say(Role::user, "What is new?");
  auto in = input(2'000);
  in.is_loop = in.has_task = false;
  in.question = 6;
  const auto head = make_head(in, {6, 0});
  ASSERT_TRUE(head.notes);
  const auto text = text_of(*head.notes);
  const auto rule = text.find("[1] \"Always answer in German.\"");
  const auto revoked = text.find("[5] \"Stop answering in German.\"");
  ASSERT_NE(rule, std::string::npos) << text;
  ASSERT_NE(revoked, std::string::npos) << text;
  EXPECT_LT(rule, revoked);
  EXPECT_FALSE(contains(text, "What is new?"));  // It is sent.
  EXPECT_LE(counter_->count_message(*head.notes), notes_tokens(in));
}

TEST_F(ThreadHeadTest, TheUsersWordsStandOutsideOfTheFenceAndLeaveRoomForNames) {
  for (int i = 0; i < 60; ++i)
    say(Role::user, "Never forget rule " + std::string(static_cast<std::size_t>(i), 'x') + ".");
  work("a", "In src/late_fee.cpp there is parse_fee_table.");
  say(Role::user, "Go on.");
  auto in = input(4'000);
  in.is_loop = in.has_task = false;
  in.question = 62;
  const auto head = make_head(in, {62, 0});
  ASSERT_TRUE(head.notes);
  const auto text = text_of(*head.notes);
  EXPECT_LT(text.find("[60] \"Never forget"), text.find("<notes-"));
  EXPECT_TRUE(contains(text, "src/late_fee.cpp"));
  EXPECT_TRUE(contains(text, "up to message 62"));
  EXPECT_LE(counter_->count_message(*head.notes), notes_tokens(in));
}

TEST_F(ThreadHeadTest, NotesWithoutALoopMayTakeHalfAsMuchAgain) {
  auto in = input(1'000);
  EXPECT_EQ(notes_tokens(in), 100);
  in.is_loop = false;
  EXPECT_EQ(notes_tokens(in), 150);
}

}  // namespace
}  // namespace ctxmgr::engine
