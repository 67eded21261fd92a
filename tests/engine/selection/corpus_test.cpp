#include "engine/selection/corpus.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ctxmgr::engine {
namespace {

// Two slices: the second and third of four turns, and two documents.
class CorpusTest : public ::testing::Test {
 protected:
  CorpusTest() {
    for (const char* turn : {"gamma", "alpha beta", "alpha", "gamma alpha"}) add(thread_, turn, Speaker::user);
    add(documents_, "beta delta", Speaker::document);
    add(documents_, "alpha alpha delta", Speaker::document);
    const auto turn = [this](std::size_t i) -> std::string_view { return texts_[i]; };
    const auto document = [this](std::size_t i) -> std::string_view { return texts_[4 + i]; };
    const auto header = [](std::size_t) -> std::string_view { return "# document"; };
    slices_ = {{&thread_, 1, 3, turn, {}}, {&documents_, 0, 2, document, header}};
  }

  void add(TextIndex& index, const std::string& text, Speaker speaker, const std::string& call = {}) {
    texts_.push_back(text);
    ItemText item;
    item.text = texts_.back();
    item.speaker = speaker;
    item.call = call;
    index.append(item);
  }

  static std::map<std::size_t, float> postings(const Corpus& corpus, const char* word) {
    std::map<std::size_t, float> found;
    corpus.for_each_posting(hash_term(word), [&](std::size_t chunk, float frequency) { found[chunk] = frequency; });
    return found;
  }

  TextIndex thread_;
  TextIndex documents_;
  std::vector<std::string> texts_;
  std::vector<IndexSlice> slices_;
};

TEST_F(CorpusTest, NumbersItemsAndChunksThroughItsSlices) {
  const Corpus corpus(slices_);
  ASSERT_EQ(corpus.items(), 4U);
  EXPECT_EQ(corpus.text(0), "alpha beta");
  EXPECT_EQ(corpus.text(3), "alpha alpha delta");
  EXPECT_EQ(corpus.header(0), "");
  EXPECT_EQ(corpus.header(3), "# document");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(corpus.item_of_chunk(corpus.first_chunk(i)), i);
  EXPECT_EQ(corpus.first_chunk(4), corpus.chunks());
}

TEST_F(CorpusTest, FindsTermsInTheSlicesAlone) {
  const Corpus corpus(slices_);
  EXPECT_EQ(postings(corpus, "alpha"), (std::map<std::size_t, float>{{0, 1}, {1, 1}, {3, 2}}));
  EXPECT_EQ(corpus.document_frequency(hash_term("alpha")), 3U);
  EXPECT_EQ(corpus.document_frequency(hash_term("gamma")), 0U);
}

TEST_F(CorpusTest, RareTermsWeighMoreAndUnknownOnesNothing) {
  const Corpus corpus(slices_);
  EXPECT_GT(corpus.idf(hash_term("delta")), corpus.idf(hash_term("alpha")));
  EXPECT_GT(corpus.idf(hash_term("alpha")), 0);
  EXPECT_EQ(corpus.idf(hash_term("gamma")), 0);
}

TEST_F(CorpusTest, NarrowedItShowsLessButCountsTheWhole) {
  const Corpus all(slices_);
  const Corpus part = all.narrowed({{0, 2, 3}, {1, 1, 2}});
  ASSERT_EQ(part.items(), 2U);
  EXPECT_EQ(part.all_items(), 4U);
  EXPECT_EQ(part.text(0), "alpha");
  EXPECT_EQ(part.number_in_all(1), 3U);
  EXPECT_EQ(postings(part, "alpha"), (std::map<std::size_t, float>{{0, 1}, {1, 2}}));
  EXPECT_EQ(part.idf(hash_term("beta")), all.idf(hash_term("beta")));
  EXPECT_EQ(part.average_length(), all.average_length());
}

TEST_F(CorpusTest, OnlyTurnsSideBySideContinueEachOther) {
  const Corpus corpus(slices_);
  EXPECT_EQ(corpus.continued(false), (std::vector<char>{1, 0, 0, 0}));
  EXPECT_TRUE(corpus.is_turn(1));
  EXPECT_FALSE(corpus.is_turn(2));
}

TEST_F(CorpusTest, AToolResultInterruptsWhatIsSpoken) {
  add(thread_, "result", Speaker::tool);
  slices_ = {{&thread_, 2, 5, {}, {}}};
  EXPECT_EQ(Corpus(slices_).continued(false), (std::vector<char>{1, 1, 0}));
  EXPECT_EQ(Corpus(slices_).continued(true), (std::vector<char>{1, 0, 0}));
}

TEST_F(CorpusTest, ALaterAnswerOfTheSameCallSupersedes) {
  TextIndex results;
  for (const char* call : {"read(a)", "read(b)", "read(a)"}) add(results, "result", Speaker::tool, call);
  slices_ = {{&results, 0, 3, {}, {}}};
  const Corpus corpus(slices_);
  EXPECT_TRUE(corpus.superseded(0));
  EXPECT_FALSE(corpus.superseded(1));
  EXPECT_FALSE(corpus.superseded(2));
  slices_ = {{&results, 0, 2, {}, {}}};
  EXPECT_FALSE(Corpus(slices_).superseded(0));
}

TEST_F(CorpusTest, ItsLanguageIsThatOfMostItems) {
  EXPECT_EQ(Corpus(slices_).language(), Language::english);
  for (int i = 0; i < 5; ++i)
    add(documents_, "Die Brücke ist nicht in der Stadt und auch nicht im Tal.", Speaker::document);
  slices_[1].last = documents_.size();
  EXPECT_EQ(Corpus(slices_).language(), Language::german);
}

TEST_F(CorpusTest, NothingHasNoItemsAndAPositiveLength) {
  slices_.clear();
  const Corpus corpus(slices_);
  EXPECT_EQ(corpus.items(), 0U);
  EXPECT_EQ(corpus.average_length(), 1);
}

}  // namespace
}  // namespace ctxmgr::engine
