#include "account.hpp"

#include <gtest/gtest.h>

#include "baselines.hpp"
#include "tools/character_counter.hpp"

namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using ctxpack::Figures;
using ctxpack::MessagePool;
using ctxpack::RecordedRun;
using ctxpack::Scale;
using ctxpack::test::CharacterCounter;

class AccountTest : public ::testing::Test {
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
    scale.words.resize(run.messages.size());
    scale.asked.resize(run.messages.size());
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
  ctxpack::Account account(run, pool, scale);
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
  ctxpack::Account account(run, pool, scale);
  account.sent(2, {pool.run()[0], pool.add({Role::user, "notes: one"})});
  account.sent(2, {pool.run()[0], pool.add({Role::user, "notes: two"})});
  EXPECT_EQ(account.figures().cached, 11 + 7);
}

TEST_F(AccountTest, LiteralsAreKeptWhereTheRequestHasThem) {
  scale.needed[4] = {{"task", false}, {"on", true}};
  MessagePool pool(run, counter);
  ctxpack::Account account(run, pool, scale);
  account.sent(4, {pool.run()[0], pool.run()[1]});
  EXPECT_EQ(account.figures().literals, 2);
  EXPECT_EQ(account.figures().literals_kept, 1);
  EXPECT_EQ(account.figures().far, 1);
  EXPECT_EQ(account.figures().far_kept, 0);
}

TEST_F(AccountTest, WordsHaveFiguresOfTheirOwn) {
  scale.words[4] = {{"task", true}, {"on", false}};
  MessagePool pool(run, counter);
  ctxpack::Account account(run, pool, scale);
  account.sent(4, {pool.run()[0], pool.run()[1]});
  EXPECT_EQ(account.figures().words, 2);
  EXPECT_EQ(account.figures().words_kept, 1);
  EXPECT_EQ(account.figures().far_words_kept, 1);
  EXPECT_EQ(account.figures().literals, 0);
}

TEST_F(AccountTest, AnAnswerCountsInTheRequestAndNotInTheQuestion) {
  run.asks = {{3, "value", "on", {"on"}, 0, {}, 1'000, 1'000}};
  scale.asked[4] = {{0, true}};
  MessagePool pool(run, counter);
  ctxpack::Account account(run, pool, scale);
  account.sent(4, {pool.run()[0], pool.run()[3]});
  EXPECT_EQ(account.figures().asked_back.found, 0);
  account.sent(4, {pool.run()[2], pool.run()[3]});
  EXPECT_EQ(account.figures().asked_back.found, 1);
  EXPECT_EQ(account.figures().by_form.at("value").asked, 2);
}

TEST_F(AccountTest, OfAListThatWasAskedForTheShareCounts) {
  run.asks = {{3, "changed", "which?", {}, 0, {"task", "absent"}, 1'000, 1'000}};
  scale.asked[4] = {{0, false}};
  MessagePool pool(run, counter);
  ctxpack::Account account(run, pool, scale);
  account.sent(4, {pool.run()[1]});
  EXPECT_DOUBLE_EQ(account.figures().asked_back_next.found, 0.5);
  EXPECT_EQ(account.figures().asked_back.asked, 0);
}

TEST_F(AccountTest, ACallWithoutItsResultAndAResultWithoutItsCallAreTorn) {
  ConversationMessage call{Role::assistant, "calls"};
  call.tool_calls.push_back({"c", "f", "{}", {}});
  ConversationMessage result{Role::tool, "result"};
  result.tool_call_id = "c";
  MessagePool pool(run, counter);
  const auto task = pool.run()[1];
  const auto c = pool.add(call);
  const auto r = pool.add(result);
  EXPECT_TRUE(pool.is_whole({task, c, r, task}));
  EXPECT_FALSE(pool.is_whole({task, c}));
  EXPECT_FALSE(pool.is_whole({c, task, r}));
  EXPECT_FALSE(pool.is_whole({task, r}));
}

TEST_F(AccountTest, TheTaskIsThereAsItWasOrNot) {
  MessagePool pool(run, counter);
  ctxpack::Account account(run, pool, scale);
  account.sent(4, {pool.run()[0], pool.run()[1]});
  account.sent(4, {pool.run()[0], pool.add({Role::user, "tas"})});
  EXPECT_EQ(account.figures().task, 1);
}

}  // namespace
