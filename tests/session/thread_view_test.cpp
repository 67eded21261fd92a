#include "session/thread_view.hpp"

#include <gmock/gmock.h>

#include "session/thread_fixture.hpp"

namespace ctxmgr::session {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class ThreadViewTest : public ::testing::Test {
 protected:
  void append(const std::vector<ConversationMessage>& messages) { ASSERT_TRUE(store_->append("w", messages, {}, {})); }

  ThreadView view(ViewRequest request = {}) {
    request.last_sequence =
        request.last_sequence ? request.last_sequence : store_->info("w", {})->value().last_sequence;
    request.budget_tokens = request.budget_tokens ? request.budget_tokens : 100'000;
    auto read = read_view(*store_, "w", request, *counter_, {});
    EXPECT_TRUE(read);
    return read.value_or(ThreadView{});
  }

  std::vector<std::string> seen_by(std::string agent, std::set<std::string> visible = {}) {
    ViewRequest request;
    request.viewer = {std::move(agent), std::move(visible)};
    return texts(view(request).messages);
  }

  std::unique_ptr<ConversationStore> store_ = make_memory_conversation_store();
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

TEST_F(ThreadViewTest, AnAgentSeesItsOwnAndTheUnownedSystemRowsOnly) {
  append({says(Role::system, "for all"), says(Role::system, "for a", "a"), says(Role::system, "for b", "b"),
          says(Role::user, "hello"), says(Role::assistant, "from b", "b")});
  EXPECT_THAT(seen_by("a"), ElementsAre("for all", "for a", "hello", "from b"));
}

TEST_F(ThreadViewTest, VisibleAgentsNarrowWhatIsSeen) {
  append({says(Role::user, "nobody's"), says(Role::assistant, "mine", "a"),
          says(Role::assistant, "planner's", "planner"),
          says(Role::assistant, "secret", "auditor", Retention::pinned)});
  EXPECT_THAT(seen_by("a", {"planner"}), ElementsAre("nobody's", "mine", "planner's"));
}

TEST_F(ThreadViewTest, StandsWhereItIsAskedFor) {
  append({says(Role::user, "1"), says(Role::user, "2"), says(Role::user, "3", "", Retention::pinned)});
  ViewRequest request;
  request.last_sequence = 2;
  EXPECT_THAT(texts(view(request).messages), ElementsAre("1", "2"));
}

TEST_F(ThreadViewTest, SummariesStandWhereTheirRowsWere) {
  append({says(Role::user, "1"), says(Role::assistant, "2", "a"), says(Role::assistant, "3", "a"),
          says(Role::assistant, "other", "b"), says(Role::user, "5"), sums_up({2, 3}, "2 and 3", "a")});
  EXPECT_THAT(seen_by("a"), ElementsAre("1", "2 and 3", "other", "5"));
}

TEST_F(ThreadViewTest, ASummaryNeverStandsForPinnedRowsNorForOtherAgentsRows) {
  append({says(Role::assistant, "raw", "a"), says(Role::assistant, "pinned", "a", Retention::pinned),
          says(Role::assistant, "other", "b"), says(Role::user, "question"), sums_up({1, 3}, "summary", "a")});
  EXPECT_THAT(seen_by("x"), ElementsAre("pinned", "other", "summary", "question"));
}

TEST_F(ThreadViewTest, AWiderSummaryReplacesTheNarrowerOnes) {
  append({says(Role::user, "1"), says(Role::user, "2"), says(Role::user, "3"), sums_up({1, 1}, "one"),
          sums_up({1, 2}, "one and two")});
  EXPECT_THAT(seen_by("a"), ElementsAre("one and two", "3"));
}

TEST_F(ThreadViewTest, SummariesOfInvisibleAgentsAreInvisible) {
  append({says(Role::assistant, "secret", "auditor"), sums_up({1, 1}, "summary of the secret", "auditor"),
          says(Role::user, "question")});
  EXPECT_THAT(seen_by("a", {"planner"}), ElementsAre("question"));
}

TEST_F(ThreadViewTest, FewSummariesAreAlwaysSentAndManyCompete) {
  append({says(Role::user, "1"), sums_up({1, 1}, std::string(4'000, 's')), says(Role::user, "2")});
  EXPECT_EQ(view().messages[0].retention, Retention::pinned);
  ViewRequest small;
  small.budget_tokens = 2'000;
  EXPECT_EQ(view(small).messages[0].retention, Retention::normal);
}

TEST_F(ThreadViewTest, ReadsTheNewestRowsAndWhatIsFixedButNotTheThread) {
  std::vector<ConversationMessage> rows(10'000, says(Role::user, std::string(400, 'x')));
  rows[10] = says(Role::user, "pinned", "", Retention::pinned);
  append(rows);
  ViewRequest request;
  request.budget_tokens = 1'000;
  const auto seen = view(request);
  EXPECT_LT(seen.messages.size(), 30U);
  EXPECT_GT(seen.messages.size(), 15U) << "about twice the budget";
  EXPECT_EQ(text_of(seen.messages[0]), "pinned");
  EXPECT_GT(seen.first_read, 9'970);
}

TEST_F(ThreadViewTest, KeepsItsBeginningWhileTheThreadGrows) {
  append(std::vector<ConversationMessage>(100, says(Role::user, std::string(400, 'x'))));
  ViewRequest request;
  request.budget_tokens = 1'000;
  request.first_hint = view(request).first_read;
  append(std::vector<ConversationMessage>(3, says(Role::user, std::string(400, 'x'))));
  request.last_sequence = 0;
  EXPECT_EQ(view(request).first_read, request.first_hint);
  append(std::vector<ConversationMessage>(30, says(Role::user, std::string(400, 'x'))));
  EXPECT_GT(view(request).first_read, request.first_hint) << "until it is half as large again";
}

TEST_F(ThreadViewTest, AnEarlierPointOfTheThreadIsSeenWhateverTheViewBeforeBeganWith) {
  append(std::vector<ConversationMessage>(100, says(Role::user, std::string(400, 'x'))));
  ViewRequest request;
  request.budget_tokens = 1'000;
  request.last_sequence = 50;
  for (const std::int64_t hint : {49, 50, 51, 95}) {
    request.first_hint = hint;
    EXPECT_GE(view(request).messages.size(), 10U) << hint;
  }
}

TEST_F(ThreadViewTest, APrunedThreadIsNotReadBehindItsSummaries) {
  append(std::vector<ConversationMessage>(5'000, says(Role::user, "old")));
  append({sums_up({1, 5'000}, "all of it"), says(Role::user, "question")});
  const auto seen = view();
  EXPECT_THAT(texts(seen.messages), ElementsAre("all of it", "question"));
  EXPECT_GT(seen.first_read, 3'000);
}

TEST_F(ThreadViewTest, APinnedResultComesWithItsCallAndItsSiblings) {
  ConversationMessage two_calls = calls("c1", "a");
  two_calls.tool_calls.push_back({"c2", "search", "{}", ""});
  append({two_calls, says(Role::assistant, "in between", "b"), answers("c1", "pinned", "a", Retention::pinned),
          answers("c2", "sibling", "a")});
  append(std::vector<ConversationMessage>(2'000, says(Role::user, std::string(400, 'x'))));
  ViewRequest request;
  request.budget_tokens = 1'000;
  const auto seen = texts(view(request).messages);
  EXPECT_EQ(std::vector<std::string>(seen.begin(), seen.begin() + 3),
            (std::vector<std::string>{"calling", "pinned", "sibling"}));
}

TEST_F(ThreadViewTest, APinnedCallComesWithItsOwnResultWhereIdsRepeat) {
  append({calls("c", "b"), calls("c", "a", Retention::pinned), answers("c", "of b", "b"), answers("c", "of a", "a"),
          calls("c", "a"), answers("c", "later", "a")});
  append(std::vector<ConversationMessage>(2'000, says(Role::user, std::string(400, 'x'))));
  ViewRequest request;
  request.budget_tokens = 1'000;
  const auto seen = texts(view(request).messages);
  EXPECT_EQ(std::vector<std::string>(seen.begin(), seen.begin() + 2), (std::vector<std::string>{"calling", "of a"}));
  EXPECT_THAT(seen, Not(Contains("of b")));
  EXPECT_THAT(seen, Not(Contains("later")));
}

TEST(WholeGroupsTest, ResultsFollowTheirCallsWhoeverWroteInBetween) {
  const auto whole = with_whole_groups(
      {calls("c1", "a"), calls("c2", "b"), says(Role::user, "hm"), answers("c2", "r2", "b"), answers("c1", "r1", "a")},
      "a");
  EXPECT_THAT(texts(whole), ElementsAre("calling", "r1", "calling", "r2", "hm"));
}

TEST(WholeGroupsTest, AgentsWithTheSameIdsKeepTheirOwnResults) {
  const auto whole =
      with_whole_groups({calls("c", "a"), calls("c", "b"), answers("c", "of a", "a"), answers("c", "of b", "b")}, "a");
  EXPECT_THAT(texts(whole), ElementsAre("calling", "of a", "calling", "of b"));
  EXPECT_EQ(whole[1].agent, whole[0].agent);
}

TEST(WholeGroupsTest, ACallThatDiedDoesNotTakeTheResultOfTheNextOne) {
  const auto whole =
      with_whole_groups({calls("c", "b"), says(Role::user, "again"), calls("c", "b"), answers("c", "r", "b")}, "a");
  EXPECT_THAT(texts(whole), ElementsAre("again", "calling", "r"));
}

TEST(WholeGroupsTest, WhatCannotBeSentGoes) {
  const auto rows = [](std::string caller) {
    return std::vector<ConversationMessage>{answers("lost", "orphan"), calls("open", std::move(caller))};
  };
  EXPECT_THAT(with_whole_groups(rows("b"), "a"), IsEmpty());
  EXPECT_THAT(texts(with_whole_groups(rows("a"), "a")), ElementsAre("calling")) << "its own: it may still answer";
}

TEST(WholeGroupsTest, CallsOfOneIdAreAnsweredInTheirOrder) {
  const auto whole = with_whole_groups(
      {calls("c", "a"), answers("c", "first", "a"), calls("c", "a"), answers("c", "second", "a")}, "a");
  EXPECT_THAT(texts(whole), ElementsAre("calling", "first", "calling", "second"));
}

}  // namespace
}  // namespace ctxmgr::session
