#include "engine/selection/narrowing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

std::string turn_text(std::size_t i) {
  return "common words of turn number" + std::to_string(i) + (i % 40 == 7 ? " rare" : "") + ".";
}

TextIndex thread(std::size_t turns) {
  TextIndex index;
  for (std::size_t i = 0; i < turns; ++i) {
    const std::string text = turn_text(i);
    ItemText item;
    item.text = text;
    item.speaker = Speaker::user;
    index.append(item);
  }
  return index;
}

NarrowingLimits few() {
  NarrowingLimits limits;
  limits.items = 50;
  limits.postings = 20;
  limits.candidates = 4;
  limits.around = 2;
  return limits;
}

Corpus narrowed(const std::vector<IndexSlice>& slices, const std::string& text, const NarrowingLimits& limits) {
  const SelectionWeights weights;
  const Corpus corpus(slices);
  return narrow(corpus, Query(corpus, text, {}, weights), 0, weights, limits);
}

TEST(NarrowingTest, SeesOnlyWhatStandsAroundTheItemsWithRareTerms) {
  const TextIndex index = thread(400);
  const std::vector<IndexSlice> slices{{&index, 0, 400, {}, {}}};
  const Corpus corpus = narrowed(slices, "rare common", few());
  ASSERT_EQ(corpus.items(), 20U);
  EXPECT_EQ(corpus.all_items(), 400U);
  EXPECT_EQ(corpus.number_in_all(0), 245U);
  EXPECT_EQ(corpus.number_in_all(5), 285U);
  EXPECT_EQ(corpus.number_in_all(19), 369U);
}

TEST(NarrowingTest, SeesShortSlicesWhole) {
  const TextIndex index = thread(400);
  const std::vector<IndexSlice> slices{{&index, 0, 50, {}, {}}, {&index, 50, 400, {}, {}}};
  const Corpus corpus = narrowed(slices, "rare common", few());
  EXPECT_EQ(corpus.items(), 50U + 20U);
  EXPECT_EQ(corpus.number_in_all(49), 49U);
  EXPECT_EQ(corpus.number_in_all(50), 245U);
}

TEST(NarrowingTest, SeesEverythingWhereAllTermsAreRare) {
  const TextIndex index = thread(400);
  const std::vector<IndexSlice> slices{{&index, 0, 400, {}, {}}};
  EXPECT_EQ(narrowed(slices, "rare", few()).items(), 400U);
}

TEST(NarrowingTest, SeesTheNewestWhereEveryTermIsCommon) {
  const TextIndex index = thread(400);
  const std::vector<IndexSlice> slices{{&index, 0, 400, {}, {}}};
  const Corpus corpus = narrowed(slices, "common", few());
  EXPECT_EQ(corpus.items(), 20U);
  EXPECT_EQ(corpus.number_in_all(0), 380U);
}

TEST(NarrowingTest, TermsStayAsRareAsTheyAreInAllSlices) {
  const TextIndex index = thread(400);
  const std::vector<IndexSlice> slices{{&index, 0, 400, {}, {}}};
  const Corpus all(slices);
  const Corpus corpus = narrowed(slices, "rare common", few());
  for (const char* word : {"rare", "common"}) EXPECT_EQ(corpus.idf(hash_term(word)), all.idf(hash_term(word)));
  EXPECT_EQ(corpus.average_length(), all.average_length());
}

TEST(NarrowingTest, PostingsAreThoseOfTheItemsSeen) {
  const TextIndex index = thread(1100);  // Most of it merged, the newest part not.
  const std::vector<IndexSlice> slices{{&index, 0, 1100, {}, {}}};
  const Corpus corpus = Corpus(slices).narrowed({{0, 3, 9}, {0, 40, 50}, {0, 1000, 1100}});
  std::vector<std::size_t> found;
  corpus.for_each_posting(hash_term("rare"), [&](std::size_t chunk, float) {
    found.push_back(corpus.number_in_all(corpus.item_of_chunk(chunk)));
  });
  EXPECT_EQ(found, (std::vector<std::size_t>{7, 47, 1007, 1047, 1087}));
}

}  // namespace
}  // namespace ctxmgr::engine
