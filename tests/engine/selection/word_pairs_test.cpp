#include "engine/selection/word_pairs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

class WordPairsTest : public ::testing::Test {
 protected:
  void add(const std::string& text) {
    ItemText item;
    item.text = text;
    index_.append(item);
    slices_ = {{&index_, 0, index_.size(), {}, {}}};
  }

  // What the pairs of a question add to each chunk.
  std::vector<double> added(const std::string& question, double score = 0) const {
    const Corpus corpus(slices_);
    const Query query(corpus, question, {}, SelectionWeights{});
    std::vector<double> scores(corpus.chunks(), score);
    add_word_pairs(corpus, query, scores);
    for (double& s : scores) s -= score;
    return scores;
  }

  TextIndex index_;
  std::vector<IndexSlice> slices_;
};

TEST_F(WordPairsTest, TwoWordsThatStandTogetherCountOnceMore) {
  add("The harbour fee is due.");
  add("The harbour is deep, and nobody ever asked for a fee.");
  add("Larks sing.");
  const std::vector<double> pairs = added("harbour fee");
  EXPECT_GT(pairs[0], 0);
  EXPECT_EQ(pairs[1], 0);
  EXPECT_EQ(pairs[2], 0);
}

TEST_F(WordPairsTest, TheOrderAndFunctionWordsBetweenMakeNoDifference) {
  add("The fee of the harbour is due.");
  add("The harbour fee is due.");
  const std::vector<double> pairs = added("Which fee has the harbour?");
  EXPECT_GT(pairs[0], 0);
  EXPECT_EQ(pairs[0], pairs[1]);
}

TEST_F(WordPairsTest, APairCountsOnceHoweverOftenItStandsThere) {
  add("The harbour fee. The harbour fee. The harbour fee.");
  add("The harbour fee.");
  const std::vector<double> pairs = added("harbour fee, the harbour fee");
  EXPECT_EQ(pairs[0], pairs[1]);
}

TEST_F(WordPairsTest, EachPairOfALongerQuestionCounts) {
  add("The old harbour fee is due.");
  add("The old one is gone since May, its harbour fee is due.");
  add("Old is the town.");
  const std::vector<double> pairs = added("old harbour fee");
  EXPECT_GT(pairs[0], pairs[1]);
  EXPECT_GT(pairs[1], 0);
}

TEST_F(WordPairsTest, AQuestionOfOneWordHasNone) {
  add("The harbour fee is due.");
  EXPECT_EQ(added("harbour"), std::vector<double>{0});
  EXPECT_EQ(added(""), std::vector<double>{0});
  EXPECT_EQ(added("harbour harbour"), std::vector<double>{0});
}

TEST_F(WordPairsTest, APastedFileHasNoMorePairsThanItsBeginning) {
  std::string pasted;
  for (int i = 0; i < 20'000; ++i) pasted += "harbour" + std::to_string(i) + " fee" + std::to_string(i) + ' ';
  add(pasted);
  const Corpus corpus(slices_);
  const std::size_t pairs = Query(corpus, pasted, {}, SelectionWeights{}).pairs().size();
  EXPECT_GT(pairs, 0U);
  EXPECT_LT(pairs, 2'000U);
}

TEST_F(WordPairsTest, OnlyTheBestChunksAreRead) {
  for (int i = 0; i < 100; ++i) add("The harbour fee is due.");
  const Corpus corpus(slices_);
  const Query query(corpus, "harbour fee", {}, SelectionWeights{});
  std::vector<double> scores(corpus.chunks(), 1);
  for (std::size_t c = 50; c < 100; ++c) scores[c] = 2;
  add_word_pairs(corpus, query, scores);
  std::size_t read = 0;
  for (std::size_t c = 0; c < 100; ++c) read += scores[c] > (c < 50 ? 1 : 2) ? 1 : 0;
  EXPECT_EQ(read, 64U);
  EXPECT_GT(scores[99], 2);
  EXPECT_EQ(scores[49], 1);
}

}  // namespace
}  // namespace ctxmgr::engine
