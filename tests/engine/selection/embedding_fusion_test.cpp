#include "engine/selection/embedding_fusion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "engine/selection/query.hpp"
#include "engine/selection/relevance.hpp"

namespace ctxmgr::engine {
namespace {

using Texts = std::vector<std::string_view>;

// Keeps no contract of its own: what the function gives arrives as it is.
class StubEmbedder : public Embedder {
 public:
  using Function = std::function<Result<Embeddings>(const Texts&, EmbeddingInput)>;
  explicit StubEmbedder(Function function) : function_{std::move(function)} {}

  Result<Embeddings> embed(const Texts& texts, EmbeddingInput input, const CallOptions&) override {
    calls.push_back(texts);
    return function_(texts, input);
  }

  std::vector<Texts> calls;

 private:
  Function function_;
};

// What is about vehicles lies in one direction, all else in another.
Embeddings by_vehicle(const Texts& texts) {
  Embeddings embeddings;
  for (const std::string_view text : texts) {
    const bool vehicle =
        text.find("car") != std::string_view::npos || text.find("automobile") != std::string_view::npos;
    embeddings.vectors.push_back(vehicle ? std::vector<float>{1, 0} : std::vector<float>{0, 1});
  }
  embeddings.usage.prompt_tokens = static_cast<std::int64_t>(10 * texts.size());
  embeddings.usage.calls = 1;
  return embeddings;
}

class EmbeddingFusionTest : public ::testing::Test {
 protected:
  EmbeddingFusionTest() {
    for (const char* text : {"Repair of boats in the harbour.", "The repair took long.", "An automobile needs oil."})
      add(text);
  }

  void add(const std::string& text) {
    texts_.push_back(text);
    ItemText item;
    item.text = texts_.back();
    index_.append(item);
    const auto text_of = [this](std::size_t i) -> std::string_view { return texts_[i]; };
    slices_ = {{&index_, 0, index_.size(), text_of, {}}};
  }

  void fuse(Embedder& embedder, std::string_view text = "repair a car in the harbour", double open = 0.5) {
    const Corpus corpus(slices_);
    const SelectionWeights weights;
    const Query query(corpus, text, {}, weights);
    lexical = score_chunks(corpus, query, weights);
    scores = lexical;
    EmbeddingRun run(embedder, memo, {});
    fuse_embeddings(corpus, text, open, run, scores);
    usage = run.take_usage();
    failure = run.failure();
  }

  TextIndex index_;
  std::vector<std::string> texts_;
  std::vector<IndexSlice> slices_;
  VectorMemo memo{1 << 20};
  std::vector<double> scores;
  std::vector<double> lexical;
  UsageMetadata usage;
  std::string failure;
};

TEST_F(EmbeddingFusionTest, LiftsWhatOnlyTheEmbedderFindsTheMoreTheWordsLeaveOpen) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  add("Buy an automobile.");  // As close as the other: neither stands clear.
  for (const double open : {0.0, 0.5, 1.0}) {
    fuse(embedder, "repair a car in the harbour", open);
    EXPECT_EQ(failure, "");
    ASSERT_GT(lexical[1], 0);
    ASSERT_EQ(lexical[2], 0);
    EXPECT_DOUBLE_EQ(scores[2], lexical[0] * (0.3 + 0.4 * open));
  }
}

TEST_F(EmbeddingFusionTest, WhatStandsClearOfAllOthersIsAsGoodAsTheBestByWords) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  fuse(embedder, "repair a car in the harbour", 0);
  ASSERT_EQ(lexical[2], 0);
  EXPECT_DOUBLE_EQ(scores[2], *std::max_element(lexical.begin(), lexical.end()));
}

TEST_F(EmbeddingFusionTest, WhatHasMoreByItsWordsKeepsIt) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  fuse(embedder);
  EXPECT_DOUBLE_EQ(scores[0], lexical[0]);
  EXPECT_DOUBLE_EQ(scores[1], lexical[1]);
}

TEST_F(EmbeddingFusionTest, WhatIsAThirdAsCloseGetsANinth) {
  add("Sails and oars.");
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) {
    Embeddings embeddings = by_vehicle(texts);
    // Similarities of 0, 0, 1 and 0.6: on average 0.4.
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (texts[i].substr(0, 5) == "Sails") embeddings.vectors[i] = {0.6F, 0.8F};
    return embeddings;
  });
  fuse(embedder);
  EXPECT_NEAR(scores[3], lexical[0] / 2 / 9, 1e-6);  // A third of the way from the average to the closest.
}

TEST_F(EmbeddingFusionTest, WhereAllAreAlikeNothingIsLifted) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) {
    Embeddings embeddings;
    embeddings.vectors.assign(texts.size(), {1, 0});
    return embeddings;
  });
  fuse(embedder);
  EXPECT_EQ(failure, "");
  EXPECT_EQ(scores, lexical);
}

TEST_F(EmbeddingFusionTest, WhereNoWordMatchesTheEmbedderAloneDecides) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  fuse(embedder, "car");
  ASSERT_EQ(lexical, std::vector<double>(3, 0));
  EXPECT_EQ(scores, (std::vector<double>{0, 0, 1}));
}

TEST_F(EmbeddingFusionTest, AsksForTheQueryAndThenForThePassages) {
  std::vector<EmbeddingInput> inputs;
  StubEmbedder embedder([&](const Texts& texts, EmbeddingInput input) {
    inputs.push_back(input);
    return by_vehicle(texts);
  });
  fuse(embedder);
  EXPECT_EQ(inputs, (std::vector<EmbeddingInput>{EmbeddingInput::query, EmbeddingInput::passage}));
  EXPECT_EQ(embedder.calls[0], Texts{"repair a car in the harbour"});
  EXPECT_EQ(embedder.calls[1], (Texts{texts_.begin(), texts_.end()}));
}

TEST_F(EmbeddingFusionTest, OfManyPassagesTheLexicallyBestAndTheNewestAreCompared) {
  for (int i = 0; i < 1'500; ++i) add("Lark " + std::to_string(i) + " sings.");
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  fuse(embedder);
  std::vector<std::string_view> asked;
  for (std::size_t call = 1; call < embedder.calls.size(); ++call) {
    EXPECT_LE(embedder.calls[call].size(), 256U);
    asked.insert(asked.end(), embedder.calls[call].begin(), embedder.calls[call].end());
  }
  EXPECT_EQ(asked.size(), 1'024U);
  const auto has = [&asked](std::string_view text) { return std::count(asked.begin(), asked.end(), text) == 1; };
  EXPECT_TRUE(has(texts_[0]));
  EXPECT_TRUE(has("Lark 1499 sings."));
  EXPECT_FALSE(has("Lark 0 sings."));
}

TEST_F(EmbeddingFusionTest, OfAnEndlessPassageTheStartIsEmbedded) {
  add("{\"a\": \"" + std::string(50'000, 'x') + "\"}");
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  fuse(embedder);
  for (const std::string_view text : embedder.calls.at(1)) EXPECT_LE(text.size(), 4'096U);
}

TEST_F(EmbeddingFusionTest, NothingIsAskedForNothing) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  fuse(embedder, "");
  EXPECT_EQ(failure, "");
  slices_.clear();
  fuse(embedder);
  EXPECT_EQ(failure, "");
  EXPECT_TRUE(embedder.calls.empty());
}

TEST_F(EmbeddingFusionTest, AFailureLeavesTheLexicalScoresAndIsReported) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput input) -> Result<Embeddings> {
    if (input == EmbeddingInput::passage) return fail(ErrorCode::unavailable, "the model is down");
    return by_vehicle(texts);
  });
  fuse(embedder);
  EXPECT_EQ(failure, "the model is down");
  EXPECT_EQ(scores, lexical);
  EXPECT_EQ(usage.prompt_tokens, 10);  // Of the call before it.
}

TEST_F(EmbeddingFusionTest, ReportsTheUsageOfBothCalls) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  fuse(embedder);
  EXPECT_EQ(usage.prompt_tokens, 40);
  EXPECT_EQ(usage.calls, 2);
}

}  // namespace
}  // namespace ctxmgr::engine
