#include "engine/selection/relevance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

class RelevanceTest : public ::testing::Test {
 protected:
  void add(const std::string& text, Speaker speaker = Speaker::document, const std::string& title = {}) {
    ItemText item;
    item.text = text;
    item.title = title;
    item.speaker = speaker;
    index_.append(item);
    slices_ = {{&index_, 0, index_.size(), {}, {}}};
  }

  Relevance score_for(const std::string& text, const SelectionWeights& weights = {}) const {
    const Corpus corpus(slices_);
    Query query(corpus, text, {}, weights);
    return score(corpus, query, weights);
  }

  // Ten paragraphs of a chunk each; the first one answers.
  void add_long_document() {
    std::string text = "The harbour was dredged. ";
    for (int paragraph = 0; paragraph < 10; ++paragraph) {
      for (int i = 0; i < 35; ++i) text += "Nets and ropes are made here by hand. ";
      text += "\n\n";
    }
    add(text);
  }

  TextIndex index_;
  std::vector<IndexSlice> slices_;
};

TEST(Bm25Test, SaturatesWithTheFrequency) {
  const SelectionWeights w;
  EXPECT_DOUBLE_EQ(bm25(1, 100, 100, w), 1);
  EXPECT_GT(bm25(2, 100, 100, w) - bm25(1, 100, 100, w), bm25(20, 100, 100, w) - bm25(19, 100, 100, w));
  EXPECT_GT(bm25(1000, 100, 100, w), bm25(20, 100, 100, w));
  EXPECT_LT(bm25(1000, 100, 100, w), w.k1 + 1);
}

TEST(Bm25Test, IsWorthMoreInAShorterChunk) {
  SelectionWeights w;
  EXPECT_GT(bm25(1, 50, 100, w), bm25(1, 100, 100, w));
  EXPECT_GT(bm25(1, 100, 100, w), bm25(1, 200, 100, w));
  w.b = 0;
  EXPECT_DOUBLE_EQ(bm25(1, 50, 100, w), bm25(1, 200, 100, w));
}

TEST_F(RelevanceTest, ARareTermWeighsMore) {
  for (const char* text : {"harbour deep", "harbour wide", "fee paid", "harbour cold"}) add(text);
  const Relevance relevance = score_for("harbour fee");
  EXPECT_DOUBLE_EQ(relevance.item[2], 1);
  EXPECT_LT(relevance.item[0], 1);
  EXPECT_GT(relevance.item[0], 0);
}

TEST_F(RelevanceTest, TheBestItemHasAllAndOthersAShare) {
  for (const char* text : {"harbour of stone", "harbour fee of spring", "larks of spring", "snow"}) add(text);
  const Relevance relevance = score_for("harbour fee in spring");
  EXPECT_DOUBLE_EQ(relevance.item[1], 1);
  for (const std::size_t i : {0U, 2U}) {
    EXPECT_GT(relevance.item[i], 0);
    EXPECT_LT(relevance.item[i], 1);
  }
  EXPECT_EQ(relevance.item[3], 0);
}

TEST_F(RelevanceTest, WhereNothingMatchesAllIsZero) {
  add("harbour fee", Speaker::user);
  add("ferry", Speaker::user);
  add("rope", Speaker::document, "Hemp");
  for (const char* query : {"zebra", ""}) {
    const Relevance relevance = score_for(query);
    EXPECT_EQ(relevance.chunk, std::vector<double>(3, 0));
    EXPECT_EQ(relevance.item, std::vector<double>(3, 0));
  }
}

TEST_F(RelevanceTest, NothingHasNoScores) {
  EXPECT_TRUE(score_for("harbour").item.empty());
  EXPECT_TRUE(score_for("harbour").chunk.empty());
}

TEST_F(RelevanceTest, ATurnGetsAShareOfTheAnswerNearIt) {
  for (const char* text : {"one", "two", "harbour", "four"}) add(text, Speaker::user);
  const Relevance relevance = score_for("harbour");
  EXPECT_DOUBLE_EQ(relevance.item[2], 1);
  EXPECT_GT(relevance.item[0], 0);
  EXPECT_GT(relevance.item[1], relevance.item[0]);
  EXPECT_LT(relevance.item[1], 1);
  EXPECT_DOUBLE_EQ(relevance.item[1], relevance.item[3]);
}

TEST_F(RelevanceTest, ADocumentGetsNothingOfTheAnswerNextToIt) {
  for (const char* text : {"one", "harbour", "three"}) add(text);
  EXPECT_EQ(score_for("harbour").item, (std::vector<double>{0, 1, 0}));
}

TEST_F(RelevanceTest, AToolResultGetsLessOfTheAnswerThanASpokenTurn) {
  add("result", Speaker::tool);
  add("harbour", Speaker::user);
  add("reply", Speaker::assistant);
  const Relevance relevance = score_for("harbour");
  EXPECT_GT(relevance.item[0], 0);
  EXPECT_GT(relevance.item[2], relevance.item[0]);
}

TEST_F(RelevanceTest, ConversationsGainNothingOverDocuments) {
  for (const char* text : {"harbour fee", "harbour fee", "harbour fee"}) add(text, Speaker::user);
  add("harbour fee");
  const Relevance relevance = score_for("harbour");
  EXPECT_DOUBLE_EQ(relevance.item[3], 1);
  EXPECT_DOUBLE_EQ(relevance.item[1], 1);
}

TEST_F(RelevanceTest, ADocumentThatTheBestAnswerNamesIsFollowed) {
  add("The ferry was built by Harland Marsh.", Speaker::document, "Aurora");
  add("Born in Oslo, he died in 1931.", Speaker::document, "Harland Marsh");
  add("Hemp and steel.", Speaker::document, "Rope");
  SelectionWeights w;
  const Relevance relevance = score_for("Who built the ferry?", w);
  EXPECT_DOUBLE_EQ(relevance.item[0], 1);
  EXPECT_DOUBLE_EQ(relevance.item[1], w.link);
  EXPECT_EQ(relevance.item[2], 0);
}

TEST_F(RelevanceTest, ATitleThatManyShareIsNoName) {
  SelectionWeights w;
  add("The ferry was built by Harland Marsh.", Speaker::document, "Aurora");
  for (const char* text : {"Born in Oslo.", "Died in 1931.", "Ran a yard.", "Had forty men."})
    add(text, Speaker::document, "Harland Marsh");
  EXPECT_EQ(score_for("ferry", w).item, (std::vector<double>{1, 0, 0, 0, 0}));
}

TEST_F(RelevanceTest, ADocumentThatTheQueryNamesStandsOut) {
  add("Ropes of the ferry.", Speaker::document, "Aurora");
  add("A ferry with ropes, and a bell aboard.", Speaker::document, "Sailing");
  SelectionWeights named;
  SelectionWeights unnamed = named;
  unnamed.link = 0;
  const auto lead = [](const Relevance& r) { return r.item[0] / r.item[1]; };
  EXPECT_GT(lead(score_for("Aurora, ropes", named)), lead(score_for("Aurora, ropes", unnamed)));
  EXPECT_DOUBLE_EQ(lead(score_for("ferry", named)), lead(score_for("ferry", unnamed)));
}

TEST_F(RelevanceTest, OnANewTopicHintsOrderWhatTheQuestionFindsAndBringNothingElse) {
  for (const char* text : {"The office in Berlin opens at nine.", "The office in Paris opens at ten.",
                           "Berlin, Berlin, Berlin: museums of Berlin."})
    add(text);
  const Corpus corpus(slices_);
  const SelectionWeights w;
  const Query topic(corpus, "When does the office open?", {"Berlin, and its museums"}, w);
  const std::vector<double> scores = score_chunks(corpus, topic, w);
  EXPECT_GT(scores[0], scores[1]);
  EXPECT_LE(scores[0], scores[1] * (1 + w.hint_before) + 1e-9);
  EXPECT_EQ(scores[2], 0);

  const Query goes_on(corpus, "When does it open there?", {"Berlin, and its museums", "The offices open early"}, w);
  EXPECT_GT(score_chunks(corpus, goes_on, w)[2], 0);
}

TEST_F(RelevanceTest, APassageFarFromAnyMatchKeepsOnlyTheFloorAndThenNothing) {
  add_long_document();
  SelectionWeights w;
  const std::vector<double> passage = score_for("harbour dredged", w).passage;
  ASSERT_GE(passage.size(), 9U);
  EXPECT_DOUBLE_EQ(passage[0], 1);
  EXPECT_GT(passage[1], 0.4);
  EXPECT_LT(passage[1], 1);
  EXPECT_NEAR(passage[3], w.passage, 0.05);
  EXPECT_GT(passage[3], w.passage);
  for (std::size_t c = 6; c < passage.size(); ++c) EXPECT_EQ(passage[c], 0) << c;
}

TEST_F(RelevanceTest, PassagesOfATextThatDoesNotMatchAreAlike) {
  add_long_document();
  add("zebra");
  const std::vector<double> passage = score_for("zebra").passage;
  EXPECT_EQ(passage, std::vector<double>(passage.size(), 1));
}

TEST_F(RelevanceTest, AnAtomHasEachTermOnce) {
  add("Harbour harbour harbour.\n\nA harbour fee.\n\nSnow.");
  const Corpus corpus(slices_);
  for (const std::string& unknown : {std::string(), std::string(" zebra")}) {
    const Query query(corpus, "harbour fee" + unknown, {}, SelectionWeights{});
    const double harbour = query.value_of(hash_term("harbour"));
    double total = 0;
    for (const QueryTerm& term : query.terms()) total += term.value;
    EXPECT_EQ(match_atoms(corpus.item(0), query.terms()), (std::vector<double>{harbour, total, 0}));
  }
}

}  // namespace
}  // namespace ctxmgr::engine
