#include "engine/selection/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

namespace ctxmgr::engine {
namespace {

// Items that compete for a question.
class CandidatesTest : public ::testing::Test {
 protected:
  void add(const std::string& text, Speaker speaker = Speaker::document, std::string_view call = {},
           std::string_view title = {}) {
    texts_.push_back(text);
    ItemText item;
    item.text = texts_.back();
    item.speaker = speaker;
    item.call = call;
    item.title = title;
    index_.append(item);
  }

  std::vector<Candidate> ask(const std::string& question, std::int64_t tokens = 1'000,
                             const SelectionWeights& weights = SelectionWeights{}) {
    const auto text_of = [this](std::size_t i) -> std::string_view { return texts_[i]; };
    const std::vector<IndexSlice> slices{{&index_, 0, index_.size(), text_of, {}}};
    const Corpus corpus(slices);
    const Query query(corpus, question, {}, weights);
    return candidates_of(corpus, query, score(corpus, query, weights), tokens, weights);
  }

  std::deque<std::string> texts_;
  TextIndex index_;
};

TEST_F(CandidatesTest, TheMostRelevantComesFirstAndWhatIsNotIsLeftOut) {
  add("Larks sing in the morning.");
  add("The harbour has a crane.");
  add("The crane of the harbour lifts forty tonnes.");
  const auto candidates = ask("the crane of the harbour, its tonnes");
  ASSERT_EQ(candidates.size(), 2U);
  EXPECT_EQ(candidates[0].item, 2U);
  EXPECT_EQ(candidates[1].item, 1U);
  EXPECT_GT(candidates[0].gain[0], candidates[1].gain[0]);
}

TEST_F(CandidatesTest, TheRowsOfATableThatTheQuestionNamesCountWhole) {
  const std::string rows = "| Year | Fish | Tonnes |\n|---|---|---|\n| 1901 | herring | 40 |\n| 1902 | cod | 55 |\n";
  add(rows, Speaker::document, {}, "Landings at Lerwick");
  add(rows, Speaker::document, {}, "Landings at Wick");
  const auto share = [this](const std::string& question) {
    const auto candidates = ask(question);
    const auto& gain = candidates.front().gain;
    return gain[gain.size() - 2] / gain.back();  // Of the row of herring, beside that of cod.
  };
  EXPECT_GT(share("How much cod came to Lerwick?"), 0.3);
  EXPECT_LT(share("How much cod was in the landings?"), 0.2) << "both titles have the word";
}

TEST_F(CandidatesTest, WhereNothingMatchesAllAreAsGood) {
  add("Larks sing in the morning.");
  add("Owls hoot through the night.");
  EXPECT_EQ(ask("submarine").size(), 2U);
}

TEST_F(CandidatesTest, WhatNothingSpeaksForComesLastWhereNoPlaceHasMostOfTheQuestion) {
  add("Draws a picture from words.");
  add("Writes a request to a database.");
  add("Tells the price of petrol in a town.");
  const auto candidates = ask("petrol orders of the customer Adams");
  ASSERT_EQ(candidates.size(), 3U);
  EXPECT_EQ(candidates[0].item, 2U);
  for (const std::size_t other : {1U, 2U}) {
    EXPECT_GT(candidates[other].gain[0], 0);
    EXPECT_LT(candidates[other].gain[0], 1e-6 * candidates[0].gain[0]);
  }
}

TEST_F(CandidatesTest, WhereOnePlaceHasTheQuestionNothingElseIsOffered) {
  add("Draws a picture from words.");
  add("Tells the price of petrol in a town.");
  EXPECT_EQ(ask("the price of petrol").size(), 1U);
}

TEST_F(CandidatesTest, OnlyLongTurnsOfAnAssistantAreWorthLess) {
  const std::string said = "The crane of the harbour lifts forty tonnes.";
  add(said, Speaker::user);
  add(said, Speaker::assistant);
  const auto brief = ask("crane of the harbour");
  ASSERT_EQ(brief.size(), 2U);
  EXPECT_NEAR(brief[0].gain[0] / brief[0].relevance, brief[1].gain[0] / brief[1].relevance, 1e-6);
  const std::string more = " " + std::string(400, 'x') + ".";
  add(said + more, Speaker::user);
  add(said + more, Speaker::assistant);
  const auto all = ask("crane of the harbour", 1'000);
  const auto gain = [&](std::size_t item) {
    const auto found = std::find_if(all.begin(), all.end(), [item](const Candidate& c) { return c.item == item; });
    return found->gain[0] / std::pow(found->relevance, SelectionWeights{}.gamma);
  };
  EXPECT_NEAR(gain(3), SelectionWeights{}.assistant * gain(2), 1e-6 * gain(2));
}

TEST_F(CandidatesTest, NoMoreAreReadThanTheRoomCanHold) {
  for (int i = 0; i < 50; ++i) add("The crane. " + std::string(2'000, 'x') + std::to_string(i));
  EXPECT_LT(ask("crane", 10).size(), 10U);
}

TEST_F(CandidatesTest, AnAnswerThatWasGivenAgainIsWorthATenth) {
  add("The crane is red.", Speaker::tool, "look({\"at\":\"crane\"})");
  add("The crane is blue.", Speaker::tool, "look({\"at\":\"crane\"})");
  const auto candidates = ask("crane");
  ASSERT_EQ(candidates.size(), 2U);
  const std::size_t old = candidates[0].item == 0 ? 0 : 1;
  EXPECT_LT(candidates[old].relevance, 0.2 * candidates[1 - old].relevance);
}

TEST_F(CandidatesTest, WhereNothingMatchesATextIsWorthMostAtItsStart) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "Sentence number " + std::to_string(i) + " of a text about larks and owls.\n\n";
  add(text);
  const auto candidates = ask("submarine");
  ASSERT_EQ(candidates.size(), 1U);
  const auto& gain = candidates[0].gain;
  EXPECT_GT(gain[0], 2 * gain.back());
  EXPECT_NEAR(gain[0] / 51, gain[1] / 51, 0.1);  // What goes on is as good as what is short.
}

TEST_F(CandidatesTest, APieceWithoutAWordIsWorthNothing) {
  add("The crane is red.\n\n----\n\nIt lifts much.");
  const auto candidates = ask("crane");
  ASSERT_EQ(candidates[0].gain.size(), 3U);
  EXPECT_EQ(candidates[0].gain[1], 0);
  EXPECT_GT(candidates[0].gain[2], 0);
}

TEST_F(CandidatesTest, WhatHasMostOfTheQuestionIsAsGoodAsTheBestPassage) {
  std::string text = "The crane lifts containers in the old harbour.\n\n";
  for (int i = 0; i < 40; ++i)
    text += "Of the harbour there is more to say, and of each harbour near it, " + std::to_string(i) + ".\n\n";
  add(text);
  const auto candidates = ask("harbour crane containers");
  const auto& gain = candidates.at(0).gain;
  ASSERT_GT(gain.size(), 2U);
  // The sentence beside it is longer, and has a part of its match.
  EXPECT_GT(gain[0], *std::max_element(gain.begin() + 2, gain.end()));
}

TEST_F(CandidatesTest, ALongTextThatMatchesBestDoesNotHideTheOthers) {
  std::string log;
  for (int i = 0; i < 4'000; ++i) log += "The crane of the harbour was greased.\n";
  add(log + "The crane lifts forty tonnes in a day.");
  add("The crane lifts forty tonnes.");
  EXPECT_EQ(ask("how many tonnes the crane lifts in a day", 250).size(), 2U);
}

}  // namespace
}  // namespace ctxmgr::engine
