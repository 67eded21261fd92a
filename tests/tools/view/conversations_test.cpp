#include "view/conversations.hpp"

#include <gtest/gtest.h>

#include "view/html.hpp"

namespace ctxpack::view::test {
namespace {

Step step_of(const std::string& thread, int seconds, std::int64_t sent = 5'000, std::int64_t everything = 40'000) {
  Step step;
  step.thread = thread;
  step.time = std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000 + seconds));
  step.receipt.model_name = "gpt-4o";
  step.receipt.messages_limit = 7'500;
  step.receipt.tools_tokens = 500;
  step.receipt.input_tokens_used = sent;
  step.receipt.include_all_tokens = everything;
  return step;
}

std::shared_ptr<const Step> shared(Step step) { return std::make_shared<const Step>(std::move(step)); }

TEST(ConversationsTest, TheNewestComesFirstAndEachIsAddedUp) {
  auto priced = step_of("b o-1", 1);
  priced.cost_usd = 0.25;
  priced.everything_usd = 1.5;
  auto failed = step_of("b o-1", 3);
  failed.receipt = {};
  const auto all = conversations_of({shared(priced), shared(step_of("a", 2, 600, 600)), shared(failed)});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].thread, "b o-1");
  EXPECT_EQ(all[0].requests, 2);
  EXPECT_EQ(all[0].used, 5'500) << "a request that came to no build changes no figure";
  EXPECT_EQ(sentence_of(all[0]),
            "5\u00A0500 of 8\u00A0000 tokens; 87.5\u00A0% of the conversation is not sent; saved $1.250.");
  EXPECT_EQ(sentence_of(all[1]), "1\u00A0100 of 8\u00A0000 tokens; all of the conversation is sent.");
}

TEST(ConversationsTest, AConversationIsListedByItsFirstWordsAndWithoutThemByItsName) {
  auto step = step_of("t-1 o-1", 1);
  EXPECT_EQ(title_of(conversations_of({shared(step)})[0]), "t-1");
  step.first_words = "Mend <the> fees";
  view::Run run{"ctxpack serve", true, {}};
  run.conversations = conversations_of({shared(step)});
  EXPECT_EQ(title_of(run.conversations[0]), "Mend <the> fees");
  EXPECT_NE(to_html(run).find("<bdi dir=auto>Mend &lt;the&gt; fees</bdi></a>"), std::string::npos);
  run.steps = {step};
  EXPECT_NE(to_html(run).find("<h1><bdi dir=auto>Mend &lt;the&gt; fees</bdi></h1>"), std::string::npos);
}

TEST(ConversationsTest, ACacheThatGivesLessThanTheSharedBeginningIsSaid) {
  auto step = step_of("a", 1);
  step.status = 200;
  step.receipt.prefix_tokens_kept = 4'000;
  step.usage = {5'600, 500, 0, 20, 1};
  EXPECT_EQ(words_of_miss(step),
            "The service's cache missed: the first 4\u00A0500 tokens are those of the request before, and it "
            "reported 500 from its cache.");
  step.usage.cached_prompt_tokens = 4'400;
  EXPECT_EQ(words_of_miss(step), "");
  step.usage.cached_prompt_tokens = 0;
  step.receipt.prefix_tokens_kept = 0;
  EXPECT_EQ(words_of_miss(step), "") << "a compaction is no miss";
  step.receipt.prefix_tokens_kept = 4'000;
  step.usage = {};
  EXPECT_EQ(words_of_miss(step), "") << "nothing was reported";
}

TEST(ConversationsTest, WhatIsSavedIsNetOfSummaries) {
  auto step = step_of("a", 1);
  step.cost_usd = 0.25;
  step.everything_usd = 1.5;
  step.summaries = {"gpt-5-nano", {12'900, 0, 0, 300, 4}, 0.5};
  const auto sentence = [](const Step& one) { return sentence_of(conversations_of({shared(one)})[0]); };
  const std::string window = "5\u00A0500 of 8\u00A0000 tokens; 87.5\u00A0% of the conversation is not sent; ";
  EXPECT_EQ(sentence(step), window + "saved $0.750.");
  EXPECT_EQ(words_of(step.summaries), "4 calls of gpt-5-nano: 12\u00A0900 tokens in, 300 out, $0.500");
  view::Run run{"ctxpack serve", true, {}};
  run.conversations = conversations_of({shared(step)});
  EXPECT_NE(to_html(run).find("<td data-l=saved class=n>$0.750"), std::string::npos);
  EXPECT_NE(to_html(run).find("the price of summaries is taken off"), std::string::npos);
  run.steps = {step, step};
  run.conversations = conversations_of({shared(step), shared(step)});
  EXPECT_NE(to_html(run).find("what was sent, with summaries: $1.500"), std::string::npos);
  step.summaries.usd = 2;
  EXPECT_EQ(sentence(step), window + "$0.750 more than to send everything.");
  step.summaries.usd.reset();
  EXPECT_EQ(sentence(step), window + "saved $1.250, without the price of summaries, which is not known.");
  EXPECT_NE(words_of(step.summaries).find("300 out, price not known"), std::string::npos);
}

TEST(ConversationsTest, ACompactionIsWhereTheBeginningWasNotKept) {
  const auto before = step_of("a", 1);
  auto grown = step_of("a", 2, 6'000);
  grown.receipt.prefix_tokens_kept = 5'000;
  EXPECT_FALSE(is_compaction(grown, &before));
  EXPECT_FALSE(is_compaction(grown, nullptr));
  auto cut = step_of("a", 2, 3'000);
  cut.receipt.prefix_tokens_kept = 600;
  EXPECT_TRUE(is_compaction(cut, &before));
  cut.receipt.include_all_tokens = cut.receipt.input_tokens_used;
  EXPECT_FALSE(is_compaction(cut, &before)) << "nothing gave way";
}

TEST(ConversationsTest, AListLinksToEachAndAnEmptyPageSaysTheAddress) {
  view::Run run{"ctxpack serve", true, {}};
  run.address = "http://127.0.0.1:8790";
  EXPECT_NE(to_html(run).find("OPENAI_BASE_URL=http://127.0.0.1:8790/v1"), std::string::npos);
  EXPECT_NE(to_html(run).find("ANTHROPIC_BASE_URL=http://127.0.0.1:8790<"), std::string::npos);
  auto step = step_of("a'<b>&c 0123", 1);
  step.owner = "0123";
  run.conversations = conversations_of({shared(step)});
  const auto page = to_html(run);
  EXPECT_NE(page.find("href='/?thread=a%27%3Cb%3E%26c&amp;owner=0123'"), std::string::npos);
  EXPECT_EQ(page.find("<b>&c"), std::string::npos);
  EXPECT_NE(page.find(">1 conversation<"), std::string::npos);
}

TEST(ConversationsTest, WhatHasNoPageHasNoLinkAndAnUnknownNameIsSaid) {
  auto refused = step_of("", 1);
  refused.receipt = {};
  refused.error = "x-ctxmgr-thread: expected 1 to 100 printable ASCII characters, no blanks";
  view::Run run{"ctxpack serve", true, {}};
  run.conversations = conversations_of({shared(refused)});
  EXPECT_EQ(to_html(run).find("href='/?thread="), std::string::npos);
  EXPECT_NE(to_html(run).find("refused, of no conversation"), std::string::npos);
  run.conversations.clear();
  run.is_unknown = true;
  EXPECT_NE(to_html(run).find("No such conversation"), std::string::npos);
  EXPECT_EQ(to_html(run).find("Nothing yet"), std::string::npos);
}

TEST(ConversationsTest, ToolsCountInWhatEverythingTakesToo) {
  const view::Run run{"run", false, {step_of("a", 1, 83, 39), step_of("a", 2)}};
  EXPECT_NE(to_html(run).find("<td data-l=everything class=n>539<"), std::string::npos);
}

TEST(ConversationsTest, ARequestThatFailedIsSaidFirstAndTheOneBeforeIsShown) {
  auto failed = step_of("a", 2);
  failed.receipt = {};
  failed.error = "the parts that must be sent take 20013 tokens";
  view::Run run{"ctxpack serve", true, {step_of("a", 1), failed}};
  run.conversations = conversations_of({shared(run.steps[0]), shared(failed)});
  const auto page = to_html(run);
  EXPECT_LT(page.find("The last request failed: the parts that must be sent take"),
            page.find("5\u00A0500 of 8\u00A0000"));
  EXPECT_NE(page.find("<b>5\u00A0500</b>"), std::string::npos) << "not the figures of one that has none";
  run.steps = {failed};
  run.conversations = conversations_of({shared(failed)});
  const auto alone = to_html(run);
  EXPECT_NE(alone.find("None of its requests was fitted."), std::string::npos);
  EXPECT_EQ(alone.find("What fills the window"), std::string::npos);
}

TEST(ConversationsTest, SavingsTooSmallToBeShownAreNone) {
  auto step = step_of("a", 1, 600, 600);
  step.cost_usd = 0.5;
  step.everything_usd = 0.500001;
  EXPECT_EQ(sentence_of(conversations_of({shared(step)})[0]),
            "1\u00A0100 of 8\u00A0000 tokens; all of the conversation is sent.");
}

TEST(ConversationsTest, APageOfOneBeginsWithItsSentenceAndMarksCompactions) {
  auto cut = step_of("a", 2, 3'000);
  cut.receipt.prefix_tokens_kept = 600;
  view::Run run{"ctxpack serve", true, {step_of("a", 1), cut}};
  run.conversations = conversations_of({shared(run.steps[0]), shared(run.steps[1])});
  const auto page = to_html(run);
  const auto sentence = page.find("of the conversation is not sent");
  ASSERT_NE(sentence, std::string::npos);
  EXPECT_LT(sentence, page.find("What fills the window"));
  EXPECT_NE(page.find("<div class='col cut'>"), std::string::npos);
  EXPECT_NE(page.find("(1 time)"), std::string::npos);
  EXPECT_NE(page.find("all conversations"), std::string::npos);
}

}  // namespace
}  // namespace ctxpack::view::test
