#include "account.hpp"

#include <gtest/gtest.h>

namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using ctxpack::Figures;
using ctxpack::MessagePool;
using ctxpack::RecordedRun;
using ctxpack::Scale;

/// A character is a token; so is the framing of a message.
class CharacterCounter final : public ctxmgr::TokenCounter {
 public:
  [[nodiscard]] ctxmgr::TokenCounterInfo info() const override { return {}; }
  [[nodiscard]] std::int64_t count(std::string_view text) const override {
    return static_cast<std::int64_t>(text.size());
  }
  [[nodiscard]] std::int64_t count_message(const ConversationMessage& message) const override {
    return 1 + count(ctxmgr::text_of(message));
  }
};

class AccountTest : public testing::Test {
 protected:
  AccountTest() {
    scale.model.input_usd_per_token = 1.0;
    scale.model.cached_input_usd_per_token = 0.1;
    scale.model.min_cached_prefix_tokens = 10;
    scale.budget = 100;
    run.messages = {{Role::system, "0123456789"},
                    {Role::user, "task"},
                    {Role::assistant, "one"},
                    {Role::user, "on"},
                    {Role::assistant, "two"}};
    scale.needed.resize(run.messages.size());
  }

  CharacterCounter counter;
  RecordedRun run;
  Scale scale;
};

TEST_F(AccountTest, EverythingIsPricedWithWhatTheRequestBeforeLeftInTheCache) {
  MessagePool pool(run, counter);
  const Figures figures = ctxpack::account_for_everything(run, pool, scale);
  EXPECT_EQ(figures.steps, 2);
  EXPECT_EQ(figures.tokens, (3 + 16) + (3 + 23));
  EXPECT_EQ(figures.cached, 16);
  EXPECT_DOUBLE_EQ(figures.usd, 19 + 10 + 1.6);
  EXPECT_EQ(figures.rewrites, 0);
}

TEST_F(AccountTest, ShortPrefixesAreNotCached) {
  scale.model.min_cached_prefix_tokens = 17;
  MessagePool pool(run, counter);
  EXPECT_EQ(ctxpack::account_for_everything(run, pool, scale).cached, 0);
}

TEST_F(AccountTest, WritesHaveTheirPrice) {
  scale.model.cache_write_usd_per_token = 2.0;
  MessagePool pool(run, counter);
  EXPECT_DOUBLE_EQ(ctxpack::account_for_everything(run, pool, scale).usd, 2 * 19 + 2 * 10 + 1.6);
}

TEST_F(AccountTest, ToolsAreTheBeginningOfThePrefix) {
  scale.tools_tokens = 5;
  MessagePool pool(run, counter);
  const Figures figures = ctxpack::account_for_everything(run, pool, scale);
  EXPECT_EQ(figures.tokens, 24 + 31);
  EXPECT_EQ(figures.cached, 21);
}

TEST_F(AccountTest, ARequestThatLeavesItsPrefixIsARewriteAndOneThatLosesAMessageACompaction) {
  MessagePool pool(run, counter);
  ctxpack::Account account(pool, scale);
  const auto& own = pool.run();
  const auto note = pool.add({Role::user, "0123 another"});
  account.sent(2, {own[0], own[1]});
  account.sent(2, {own[0], note, own[1]});
  EXPECT_EQ(account.figures().rewrites, 1);
  EXPECT_EQ(account.figures().compactions, 0);
  account.sent(2, {own[0], note});
  EXPECT_EQ(account.figures().rewrites, 2);
  EXPECT_EQ(account.figures().compactions, 1);
}

TEST_F(AccountTest, APrefixMayEndInsideAMessage) {
  MessagePool pool(run, counter);
  ctxpack::Account account(pool, scale);
  account.sent(2, {pool.run()[0], pool.add({Role::user, "notes: one"})});
  account.sent(2, {pool.run()[0], pool.add({Role::user, "notes: two"})});
  EXPECT_EQ(account.figures().cached, 11 + 7);
}

TEST_F(AccountTest, LiteralsAreKeptWhereTheRequestHasThem) {
  scale.needed[4] = {{"task", false}, {"on", true}};
  MessagePool pool(run, counter);
  ctxpack::Account account(pool, scale);
  account.sent(4, {pool.run()[0], pool.run()[1]});
  EXPECT_EQ(account.figures().literals, 2);
  EXPECT_EQ(account.figures().literals_kept, 1);
  EXPECT_EQ(account.figures().far, 1);
  EXPECT_EQ(account.figures().far_kept, 0);
}

TEST_F(AccountTest, CutToHalfDropsTheOldestButWhatWasAskedAndItsNewest) {
  const std::string long_text(30, 'x');
  run.messages = {{Role::system, "s"},
                  {Role::user, "task"},
                  {Role::assistant, long_text + "1"},
                  {Role::assistant, long_text + "2"},
                  {Role::assistant, long_text + "3"},
                  {Role::assistant, "end"}};
  scale.needed.resize(run.messages.size());
  scale.budget = 90;
  MessagePool pool(run, counter);
  const Figures figures = ctxpack::account_for_cut_to_half(run, pool, scale);
  EXPECT_EQ(figures.steps, 4);
  EXPECT_EQ(figures.compactions, 1);
  EXPECT_EQ(figures.over_budget, 0);
  // 3 + 2 + 5 fixed; then one message more at each step, until the fourth keeps the newest alone.
  EXPECT_EQ(figures.tokens, 10 + 42 + 74 + 42);
}

TEST_F(AccountTest, CutToHalfKeepsCallsWithTheirResults) {
  ConversationMessage call{Role::assistant, std::string(40, 'a')};
  call.tool_calls.push_back({"c", "f", "{}", {}});
  run.messages = {{Role::user, "task"}, call, {Role::tool, std::string(50, 'r')}, {Role::assistant, "end"}};
  run.messages[2].tool_call_id = "c";
  scale.needed.resize(run.messages.size());
  scale.budget = 60;
  MessagePool pool(run, counter);
  const Figures figures = ctxpack::account_for_cut_to_half(run, pool, scale);
  EXPECT_EQ(figures.over_budget, 1) << "the newest group stays, whatever its size";
}

}  // namespace
