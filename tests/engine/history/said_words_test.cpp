#include "engine/history/said_words.hpp"

#include <gtest/gtest.h>

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

class SaidWordsTest : public ::testing::Test {
 protected:
  void say(const std::string& text, bool is_rule = false) {
    said_.push_back({said_.size(), text, is_rule ? std::vector{text} : std::vector<std::string>()});
  }
  [[nodiscard]] std::string fitted(std::int64_t limit) const {
    std::string text;
    for (const auto& one : fit_said_words(said_, limit, *counter_))
      text += std::to_string(one.message) + " " + one.text + "\n";
    return text;
  }

  std::vector<SaidWords> said_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

TEST_F(SaidWordsTest, WhatFitsStandsWordForWordInItsOrder) {
  say("Read the files.");
  say("Ask me first.\n\nThen go on.");
  EXPECT_EQ(fitted(1'000), "0 Read the files.\n1 Ask me first.\n\nThen go on.\n");
}

TEST_F(SaidWordsTest, OfEqualTextsTheNewestStays) {
  say("Go on.");
  say("Stop.");
  say("Go on.");
  EXPECT_EQ(fitted(1'000), "1 Stop.\n2 Go on.\n");
}

TEST_F(SaidWordsTest, OfLongTextsThatDifferInDigitsOnlyTheNewestStays) {
  const auto nudge = [](int found) {
    return "Give one action, found " + std::to_string(found) + ". " + testing::words(50);
  };
  say(nudge(3));
  say("Pay 5 to Tom.");
  say("Pay 7 to Tom.");
  say(nudge(0));
  EXPECT_EQ(fitted(1'000), "1 Pay 5 to Tom.\n2 Pay 7 to Tom.\n3 " + nudge(0) + "\n") << "short ones are two orders";
}

TEST_F(SaidWordsTest, LongMessagesBecomeHeadAndTailOnlyWhereNotAllFits) {
  const auto paste = "It begins. " + testing::words(300) + " It ends.";
  say(paste);
  say("Never touch the generated files.");
  say("Go on.");
  EXPECT_TRUE(testing::contains(fitted(10'000), paste));
  const auto text = fitted(150);
  EXPECT_FALSE(testing::contains(text, paste));
  EXPECT_TRUE(testing::contains(text, "0 It begins.")) << text;
  EXPECT_TRUE(testing::contains(text, "It ends.")) << text;
  EXPECT_TRUE(testing::contains(text, "Never touch the generated files.")) << text;
}

TEST_F(SaidWordsTest, ARuleInTheMiddleOfALongMessageStaysWithHeadAndTail) {
  const std::string rule = "Never touch the generated files.";
  said_.push_back(
      {0, "It begins. " + testing::words(300) + " " + rule + " " + testing::words(300) + " It ends.", {rule}});
  say("Go on.");
  const auto text = fitted(250);
  EXPECT_TRUE(testing::contains(text, "0 It begins.")) << text;
  EXPECT_TRUE(testing::contains(text, "It ends.\n… " + rule + "\n1 Go on.")) << text;
}

TEST_F(SaidWordsTest, ShortRulesStayBeforeLongMessagesThatHaveRules) {
  say("Ask me before you delete a file.", true);
  for (int i = 0; i < 20; ++i) say("Always mend page " + std::to_string(i) + ". " + testing::words(200), true);
  EXPECT_TRUE(testing::contains(fitted(100), "0 Ask me before you delete a file.")) << fitted(100);
}

TEST_F(SaidWordsTest, TheOldestInTheMiddleGoButForRules) {
  say("We work on the service of the library.");
  say("Ask me before you delete a file.", true);
  for (int i = 0; i < 40; ++i) say("Now look at page " + std::to_string(i) + " of it.");
  const auto text = fitted(200);
  EXPECT_TRUE(testing::contains(text, "0 We work on")) << text;
  EXPECT_TRUE(testing::contains(text, "1 Ask me before")) << text;
  EXPECT_TRUE(testing::contains(text, "page 39 of it.")) << text;
  EXPECT_FALSE(testing::contains(text, "page 0 of it.")) << text;
}

TEST_F(SaidWordsTest, ItKeepsWithinTheLimit) {
  for (int i = 0; i < 30; ++i)
    say(testing::words(static_cast<std::size_t>(5 * i + 1), "w" + std::to_string(i)), i % 3 == 0);
  for (const std::int64_t limit : {0, 5, 40, 200, 900}) EXPECT_LE(counter_->count(fitted(limit)), limit) << limit;
}

}  // namespace
}  // namespace ctxmgr::engine
