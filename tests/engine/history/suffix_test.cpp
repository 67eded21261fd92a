#include "engine/history/suffix.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

class SuffixTest : public ::testing::Test {
 protected:
  void say(Role role, std::size_t count) { history_.push_back({role, words(count)}); }
  void show(std::size_t count) {
    const std::string image = R"({"type":"image_url","image_url":{"url":"data:,x"}})";
    history_.push_back(
        {Role::user, std::vector<ContentPart>{{PartKind::text, words(count), {}}, {PartKind::image, {}, image}}});
  }
  void work(const std::string& id, std::size_t count) {
    history_.push_back(testing::tool_call(id));
    history_.push_back(testing::tool_result(id, words(count)));
  }
  SuffixPlanner& planner() {
    EXPECT_TRUE(thread_.extend(history_, *counter_));
    views_ = std::make_unique<ToolResultViews>(history_, thread_, retriever_, *counter_, nullptr);
    std::optional<std::size_t> question;
    if (!thread_.user_messages().empty()) question = thread_.user_messages().back();
    planner_ = std::make_unique<SuffixPlanner>(thread_, question, *views_);
    return *planner_;
  }
  std::int64_t tokens(std::size_t first, std::size_t last) const {
    std::int64_t sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += thread_.tokens_of(i);
    return sum;
  }

  std::vector<ConversationMessage> history_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  Retriever retriever_;
  ThreadAnalysis thread_;
  std::unique_ptr<ToolResultViews> views_;
  std::unique_ptr<SuffixPlanner> planner_;
};

TEST_F(SuffixTest, StopsAtTheFirstGroupThatDoesNotFit) {
  say(Role::user, 10);
  say(Role::assistant, 10);
  say(Role::assistant, 2'000);
  say(Role::assistant, 10);
  say(Role::user, 5);
  auto& all = planner();
  const auto suffix = all.newest_within({500, 250, 500});
  EXPECT_EQ(suffix.cut, 3U);
  EXPECT_EQ(suffix.tokens, tokens(3, 4));
  EXPECT_EQ(all.tokens_before(suffix.cut), tokens(0, 3));
}

TEST_F(SuffixTest, OlderImagesAreLeftOutBeforeGroupsAre) {
  for (int i = 0; i < 3; ++i) show(5);
  say(Role::user, 5);
  auto& all = planner();
  const auto room = tokens(2, 3) + 100;
  const auto suffix = all.newest_within({room, room, room});
  EXPECT_EQ(suffix.cut, 0U);
  EXPECT_EQ(suffix.images_from, 2U) << "the newest is whole";
  EXPECT_LE(suffix.tokens, room);
}

TEST_F(SuffixTest, TheNewestResultIsNeverLessThanAnExtract) {
  say(Role::user, 5);
  work("c", 3'000);
  auto& all = planner();
  const auto suffix = all.newest_within({300, 300, 300});
  EXPECT_EQ(suffix.cut, 0U);
  EXPECT_EQ(suffix.extracts.count(2), 1U);
  EXPECT_LE(suffix.tokens, 300);
  EXPECT_EQ(all.sent_tokens(2, suffix) + thread_.tokens_of(1), suffix.tokens);
}

TEST_F(SuffixTest, WhereExtractsAreNotWantedAResultIsWholeOrLeftToBeSearched) {
  say(Role::user, 5);
  work("c", 3'000);
  say(Role::user, 5);
  auto& all = planner();
  EXPECT_EQ(all.newest_within({300, 300, 300, false}).cut, thread_.size());
  const auto suffix = all.newest_within({9'000, 9'000, 9'000, false});
  EXPECT_EQ(suffix.cut, 0U);
  EXPECT_TRUE(suffix.extracts.empty());
}

TEST_F(SuffixTest, ANewestMessageOverItsShareStillHasAPlaceWhereItFits) {
  say(Role::user, 100);
  say(Role::assistant, 400);
  say(Role::user, 5);
  const auto suffix = planner().newest_within({200, 400, 1'000});
  EXPECT_EQ(suffix.cut, 1U);
  EXPECT_GT(suffix.tokens, 400);
}

TEST_F(SuffixTest, OpensWithAUserMessageWhereThatCostsOneGroup) {
  say(Role::user, 800);
  say(Role::assistant, 20);
  say(Role::user, 20);
  say(Role::assistant, 20);
  say(Role::user, 5);
  EXPECT_EQ(planner().newest_within({300, 150, 300}).cut, 2U);
}

TEST_F(SuffixTest, AgainCountsWhatItSaid) {
  say(Role::user, 5);
  for (int i = 0; i < 6; ++i) work("c" + std::to_string(i), 200);
  auto& all = planner();
  const auto suffix = all.newest_within({1'000, 500, 1'000});
  const auto again = all.again(suffix);
  EXPECT_EQ(again.tokens, suffix.tokens);
}

TEST_F(SuffixTest, DroppingGroupByGroupEndsAtNothing) {
  say(Role::user, 5);
  for (int i = 0; i < 6; ++i) work("c" + std::to_string(i), 200);
  auto& all = planner();
  auto suffix = all.newest_within({1'000, 500, 1'000});
  int dropped = 0;
  while (all.drop_oldest_group(suffix)) ++dropped;
  EXPECT_GT(dropped, 1);
  EXPECT_EQ(suffix.tokens, 0);
  EXPECT_EQ(suffix.cut, history_.size());
}

TEST_F(SuffixTest, WithoutImagesButTheNewestItIsShorterOnce) {
  for (int i = 0; i < 3; ++i) show(5);
  say(Role::user, 5);
  auto& all = planner();
  auto suffix = all.everything();
  const auto before = suffix.tokens;
  EXPECT_TRUE(all.keep_newest_images(suffix));
  EXPECT_LT(suffix.tokens, before);
  EXPECT_FALSE(all.keep_newest_images(suffix));
}

}  // namespace
}  // namespace ctxmgr::engine
