#include "account.hpp"

#include <gtest/gtest.h>

#include "baselines.hpp"
#include "tools/priced_run.hpp"

namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using ctxpack::Figures;
using ctxpack::Look;
using ctxpack::Measure;
using ctxpack::MessagePool;

class AccountTest : public ctxpack::test::PricedRunTest {
 protected:
  /// What the one request before message 4 that has these messages of the run holds.
  double found(const std::vector<std::size_t>& positions, Measure measure) {
    MessagePool pool(run, counter);
    std::vector<std::size_t> request;
    for (const auto position : positions) request.push_back(pool.run()[position]);
    ctxpack::Account account(pool, scale);
    account.sent(4, request);
    return account.figures().recall(measure).found;
  }
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

TEST_F(AccountTest, WhatALocalModelEvaluatesStandsBehindTheCommonBeginning) {
  scale.tools_tokens = 5;
  MessagePool pool(run, counter);
  ctxpack::Account account(pool, scale);
  account.sent(2, {pool.run()[0], pool.add({Role::user, "notes: one"})});
  EXPECT_EQ(account.figures().evaluated, 3 + 5 + 11 + 11);
  account.sent(2, {pool.run()[0], pool.add({Role::user, "notes: two"})});
  EXPECT_EQ(account.figures().evaluated, 30 + 3 + 11 - 7) << "of any length, and of the request before alone";
  account.sent(2, {pool.add({Role::user, "another"})});
  EXPECT_EQ(account.figures().evaluated, 37 + 3 + 8);
}

TEST_F(AccountTest, ANameStandsAloneInAMessageOfTheRequest) {
  want(4, {Measure::literals, Look::name, {"task"}});
  want(4, {Measure::literals, Look::name, {"tas"}});
  want(4, {Measure::far_literals, Look::name, {"on"}});
  EXPECT_EQ(found({0, 1}, Measure::literals), 1);
  EXPECT_EQ(found({0, 1}, Measure::far_literals), 0);
  EXPECT_EQ(found({3}, Measure::far_literals), 1);
}

TEST_F(AccountTest, AnAnswerCountsInTheRequestAndNotInTheQuestion) {
  want(4, {Measure::asked_back, Look::near, {"on"}, "value", 0, "on"});
  EXPECT_EQ(found({0, 3}, Measure::asked_back), 0);
  EXPECT_EQ(found({2, 3}, Measure::asked_back), 1);
}

TEST_F(AccountTest, OfSeveralTextsTheShareCounts) {
  want(4, {Measure::rules, Look::all, {"task", "absent"}});
  EXPECT_DOUBLE_EQ(found({1}, Measure::rules), 0.5);
}

TEST_F(AccountTest, FiguresAreKeptByFormAndForAllForms) {
  want(4, {Measure::rules, Look::all, {"task"}, "first"});
  want(4, {Measure::rules, Look::all, {"on"}, "middle"});
  MessagePool pool(run, counter);
  ctxpack::Account account(pool, scale);
  account.sent(4, {pool.run()[1]});
  Figures twice = account.figures();
  twice += account.figures();
  EXPECT_EQ(twice.recall(Measure::rules).asked, 4);
  EXPECT_EQ(twice.recall(Measure::rules, "first").found, 2);
  EXPECT_EQ(twice.recall(Measure::rules, "middle").found, 0);
}

TEST_F(AccountTest, AnOutcomeIsItsResultAsItWasOrShortenedOrOneOfItsEndingsNearItsName) {
  ConversationMessage result{Role::tool, "much before it, then 2 failed"};
  result.tool_call_id = "c";
  run.messages[1] = result;
  want(4, {Measure::outcomes, Look::any, {"2 failed", "pytest -q"}, "", 20, "", 1});
  MessagePool pool(run, counter);
  ctxpack::Account account(pool, scale);
  result.content = std::string("... 2 failed");
  const auto shortened = pool.add(result);
  result.content = std::string("much before it");
  for (const auto sent : {pool.run()[1], shortened, pool.add({Role::user, "[1] pytest -q: 2 failed"})}) {
    account.sent(4, {sent});
  }
  EXPECT_EQ(account.figures().recall(Measure::outcomes).found, 3);
  for (const auto sent : {pool.add(result), pool.add({Role::user, "pytest -q"}), pool.add({Role::user, "2 failed"}),
                          pool.add({Role::user, "pytest -q: 12 failed"}),
                          pool.add({Role::user, "pytest -q " + std::string(30, '.') + " 2 failed"})})
    account.sent(4, {sent});
  EXPECT_EQ(account.figures().recall(Measure::outcomes).found, 3);
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

}  // namespace
