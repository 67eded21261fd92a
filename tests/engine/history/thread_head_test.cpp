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
    return {history_, thread_, memo_, *counter_, room, true, room * 7 / 10, room / 5, nullptr, history_.size()};
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
  ThreadMemo memo_;
};

TEST_F(ThreadHeadTest, TheTaskThatWasCutIsSentWholeAndCounted) {
  say(Role::user, "Mend the parser in src/parse.cpp, which does not read fees that are written with a blank.");
  for (int i = 0; i < 10; ++i) work("c" + std::to_string(i), words(50));
  auto in = input(1'000);
  in.most_notes = 0;
  const auto head = make_head(in, 11);
  ASSERT_EQ(head.task.size(), 1U);
  EXPECT_TRUE(head.task[0].whole);
  EXPECT_EQ(head.tokens, counter_->count_message(history_[0]));
}

TEST_F(ThreadHeadTest, AHarnessThatNudgesDoesNotBecomeTheTask) {
  say(Role::user, "Mend the parser in src/parse.cpp.");
  for (int i = 0; i < 6; ++i) {
    say(Role::assistant, "Thinking " + std::to_string(i));
    say(Role::user, "Please give exactly one action, found " + std::to_string(i % 3));
  }
  work("a", "ok");
  const auto head = make_head(input(4'000), 13);
  EXPECT_TRUE(has(head, "Mend the parser"));
  EXPECT_FALSE(has(head, "exactly one action"));
}

TEST_F(ThreadHeadTest, AnOverlongTaskKeepsHeadAndTail) {
  say(Role::user, "It begins. " + words(3'000) + " It ends.");
  for (int i = 0; i < 10; ++i) work("c" + std::to_string(i), words(50));
  const auto head = make_head(input(2'000), 11);
  EXPECT_TRUE(has(head, "It begins."));
  EXPECT_TRUE(has(head, "It ends."));
  EXPECT_LE(head.task.front().tokens, 1'400);
}

TEST_F(ThreadHeadTest, WhatTheThreadBeganWithLeadsAndOtherWordsOfTheUserStandInTheNotes) {
  say(Role::user, "We work on a service. Ask before you delete rows.");
  say(Role::assistant, "I will.");
  say(Role::user, "What is the port?");
  say(Role::assistant, "It is 8080.");
  say(Role::user, "Now mend the parser in src/parse.cpp, which does not read fees that are written with a blank.");
  for (int i = 0; i < 10; ++i) work("c" + std::to_string(i), words(50));
  const auto head = make_head(input(2'000), 15);
  EXPECT_TRUE(has(head, "Ask before you delete rows."));
  EXPECT_FALSE(has(head, "What is the port?"));
  EXPECT_TRUE(head.task.front().leads);
  ASSERT_TRUE(head.notes);
  EXPECT_TRUE(contains(text_of(*head.notes), "\n[3] What is the port?\n")) << text_of(*head.notes);
}

TEST_F(ThreadHeadTest, ALongBeginningKeepsHeadAndTailBesideANewerTask) {
  say(Role::user, "It begins. " + words(600) + " It ends.");
  work("a", "ok");
  say(Role::user, "Now mend the parser in src/parse.cpp. " + words(60));
  for (int i = 0; i < 10; ++i) work("c" + std::to_string(i), words(50));
  const auto head = make_head(input(2'000), history_.size());
  ASSERT_EQ(head.task.size(), 2U);
  EXPECT_TRUE(head.task[0].leads && !head.task[0].whole);
  EXPECT_TRUE(has(head, "It begins.") && has(head, "It ends."));
  EXPECT_LE(head.task[0].tokens, 200);
  EXPECT_TRUE(!head.task[1].leads && head.task[1].whole);
  ASSERT_TRUE(head.notes);
  EXPECT_FALSE(contains(text_of(*head.notes), "It begins.")) << "it is sent already";
}

TEST_F(ThreadHeadTest, WarmAndColdGiveTheSameHeadWhileTheThreadGrows) {
  say(Role::user, "Mend the parser.");
  work("a", "In src/late_fee.cpp there is parse_fee_table.");
  work("b", "And late_fee_test.cpp calls apply_fee.");
  auto in = input(2'000);
  const auto before = make_head(in, 3);
  work("c", "Now parse_fee_table is in src/late_fee.cpp and in src/other_file.cpp.");
  auto later = input(2'000);
  later.compacted_at = in.compacted_at;
  const auto warm = make_head(later, 3);
  ThreadAnalysis cold;
  ASSERT_TRUE(cold.extend(history_, *counter_));
  ThreadMemo empty;
  const HeadInput other{history_, cold, empty, *counter_, 2'000, true, 1'400, 400, nullptr, in.compacted_at};
  const auto fresh = make_head(other, 3);
  ASSERT_TRUE(before.notes && warm.notes && fresh.notes);
  EXPECT_EQ(text_of(*before.notes), text_of(*warm.notes));
  EXPECT_EQ(text_of(*before.notes), text_of(*fresh.notes));
}

TEST_F(ThreadHeadTest, NotesNameNoHandlesOfAFormerArchive) {
  say(Role::user, "Mend the parser.");
  for (int i = 0; i < 10; ++i) work("c" + std::to_string(i), words(250));
  auto in = input(4'000);
  const auto with_archive = [&](std::shared_ptr<ArtifactArchive> archive) {
    MessageHandles handles(archive, history_, thread_, memo_);
    auto own = in;
    own.handles = &handles;
    return text_of(*make_head(own, 15).notes);
  };
  const auto first = with_archive(std::make_shared<testing::SpyArchive>());
  EXPECT_TRUE(contains(first, " <")) << first;
  const auto none = with_archive(nullptr);
  EXPECT_FALSE(contains(none, "; [")) << none;
}

}  // namespace
}  // namespace ctxmgr::engine
