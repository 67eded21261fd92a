#include "engine/selection/query.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

class QueryTest : public ::testing::Test {
 protected:
  QueryTest() {
    for (const char* text :
         {"The harbour fee is due.", "The harbour is deep.", "A ferry leaves.", "order W123 is late"}) {
      ItemText item;
      item.text = text;
      index_.append(item);
    }
    slices_ = {{&index_, 0, index_.size(), {}, {}}};
  }

  Query query(const std::string& text, const std::vector<std::string>& hints = {}) const {
    return Query(Corpus(slices_), text, hints, SelectionWeights{});
  }
  static Term term(const char* word) { return hash_term(word); }

  TextIndex index_;
  std::vector<IndexSlice> slices_;
};

TEST_F(QueryTest, ARareWordIsWorthMore) {
  const Query asked = query("harbour fee");
  EXPECT_GT(asked.value_of(term("fee")), asked.value_of(term("harbour")));
  EXPECT_GT(asked.value_of(term("harbour")), 0);
}

TEST_F(QueryTest, WhoThanksOrGreetsSaysNothing) {
  for (const char* const text :
       {"Thanks!", "Ok, great.", "good night", "Thanks, that helps", "Vielen Dank!", "Merci, bonne nuit", "\u2764", ""})
    EXPECT_TRUE(is_small_talk(text)) << text;
  for (const char* const text :
       {"Good hotels in Lisbon", "Ok?", "Thanks, and the ferry", "port 8443", "Great, book it"})
    EXPECT_FALSE(is_small_talk(text)) << text;
}

TEST_F(QueryTest, ALittleQuestionWithAWordForWhatWasSaidRefersBack) {
  for (const char* const text :
       {"Is that safe?", "And what is its default?", "Make it shorter.", "Und was davon?", "Et \u00E7a?"})
    EXPECT_TRUE(refers_back(text)) << text;
  for (const char* const text : {"What is my name?", "What was the number that I gave you?", "Where was the ferry?",
                                 "Is that ferry to Skye cheaper on Sunday mornings?", ""})
    EXPECT_FALSE(refers_back(text)) << text;
}

TEST_F(QueryTest, AChatSaysLittleOfAQuestionThatSaysByItselfWhatItAsks) {
  const char* const question = "When is the harbour fee for order W123 due?";
  const char* const short_question = "And the harbour?";
  const auto of_hint = [&](const char* text) {
    return query(text, {"assistant: It is deep, and the ferry leaves late."}).value_of(term("deep"));
  };
  const auto append = [this](const char* text, Speaker speaker, const char* call) {
    ItemText item;
    item.text = text;
    item.speaker = speaker;
    item.call = call;
    index_.append(item);
    slices_ = {{&index_, 0, index_.size(), {}, {}}};
  };
  append("user: The harbour is deep.", Speaker::user, "");
  const double in_chat = of_hint(question);
  const double in_chat_of_short = of_hint(short_question);
  append("tool: late", Speaker::tool, "look(W123)");
  EXPECT_GT(in_chat, 0);
  EXPECT_GT(of_hint(question), 4 * in_chat);
  EXPECT_NEAR(of_hint(short_question), in_chat_of_short, 0.5 * in_chat_of_short);
}

TEST_F(QueryTest, FunctionWordsCountOnlyWhereThereIsNothingElse) {
  EXPECT_EQ(query("the fee").value_of(term("the")), 0);
  EXPECT_GT(query("the").value_of(term("the")), 0);
}

TEST_F(QueryTest, WhatDoesNotOccurIsLeftOut) { EXPECT_TRUE(query("zebra").terms().empty()); }

TEST_F(QueryTest, AQuestionIsOpenAsFarAsNoOnePlaceHasItAndForWordsThatNoTextHas) {
  EXPECT_EQ(query("harbour fee").open(), 0);
  EXPECT_GT(query("ferry fee").open(), 0.4);
  EXPECT_GT(query("harbour fee of zebras").open(), 0.3);
  EXPECT_LT(query("harbour fee of zebras").open(), 0.7);
  EXPECT_EQ(query("zebra").open(), 1);
}

TEST_F(QueryTest, HintsWeighLessThanTheQueryAndLessTheOlderTheyAre) {
  const Query asked = query("fee", {"ferry", "deep"});
  EXPECT_GT(asked.value_of(term("fee")), asked.value_of(term("ferri")));
  EXPECT_GT(asked.value_of(term("ferri")), asked.value_of(term("deep")));
  EXPECT_GT(asked.value_of(term("deep")), 0);
}

TEST_F(QueryTest, OfALongHintTheStartIsRead) {
  const std::string pasted = "ferry " + std::string(8'300, 'x') + " deep";
  const Query asked = query("fee", {pasted});
  EXPECT_GT(asked.value_of(term("ferri")), 0);
  EXPECT_EQ(asked.value_of(term("deep")), 0);
}

TEST_F(QueryTest, AQuestionGoesOnFromItsHintsByWhatNoPlaceHasOfItOrWhatItSharesWithThem) {
  EXPECT_EQ(query("harbour fee", {"ferry"}).continues(), 0);  // One text has both words, and no hint any.
  EXPECT_GT(query("fee deep", {"ferry"}).continues(), 0.3);   // No text has more than one of them.
  EXPECT_LT(query("fee deep", {"ferry"}).continues(), 0.7);
  EXPECT_GT(query("harbour fee", {"ferry", "the deep harbour"}).continues(), 0.2);
  EXPECT_EQ(query("harbour fee", {"the fee of the harbour"}).continues(), 1);
  EXPECT_EQ(query("zebra", {"ferry"}).continues(), 1);
  EXPECT_EQ(query("harbour fee").continues(), 1);
}

TEST_F(QueryTest, AQuestionOfUnknownWordsIsWhatItsHintsAre) {
  EXPECT_GT(query("zebra", {"ferry"}).value_of(term("ferri")), 0);
}

TEST_F(QueryTest, AddedTermsAddUp) {
  Query asked = query("fee");
  asked.add({term("ferri"), 2});
  asked.add({term("ferri"), 1});
  asked.add({term("none"), 0});
  EXPECT_DOUBLE_EQ(asked.value_of(term("ferri")), 3);
}

TEST_F(QueryTest, ARequestThatNamesNothingAsksForNothing) {
  ItemText item;
  item.text = "A summary of the document: give the main points of the text.";
  index_.append(item);
  slices_ = {{&index_, 0, index_.size(), {}, {}}};
  EXPECT_TRUE(query("Summarise this document, please.").asked().empty());
  EXPECT_TRUE(query("Can you give me a short overview of the main points?").asked().empty());
  EXPECT_FALSE(query("Summarise the harbour document.").asked().empty());
  EXPECT_FALSE(query("What is the main point?").asked().empty());
  EXPECT_FALSE(query("Summarise this.", {"The harbour"}).terms().empty());  // What was spoken of last.
}

}  // namespace
}  // namespace ctxmgr::engine
