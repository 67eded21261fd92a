#include "engine/selection/embedding_fusion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

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

class EmbeddingFusionTest : public testing::Test {
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

  FusionReport fuse(Embedder& embedder, std::string_view text = "repair a car in the harbour") {
    const Corpus corpus(slices_);
    Query query(corpus, text, {}, SelectionWeights{});
    relevance = score(corpus, query, SelectionWeights{});
    lexical = relevance.item;
    return fuse_embeddings(corpus, text, embedder, {}, relevance);
  }

  // The error of an embedder whose vectors of passages are changed before they arrive.
  std::string error_where(const std::function<void(Embeddings&)>& change, EmbeddingInput changed) {
    StubEmbedder embedder([&](const Texts& texts, EmbeddingInput input) -> Result<Embeddings> {
      Embeddings reply = by_vehicle(texts);
      if (input == changed) change(reply);
      return reply;
    });
    const FusionReport report = fuse(embedder);
    EXPECT_EQ(relevance.item, lexical);
    return report.error;
  }

  TextIndex index_;
  std::vector<std::string> texts_;
  std::vector<IndexSlice> slices_;
  Relevance relevance;
  std::vector<double> lexical;
};

TEST_F(EmbeddingFusionTest, LiftsWhatOnlyTheEmbedderFinds) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  EXPECT_EQ(fuse(embedder).error, "");
  ASSERT_GT(lexical[1], 0);
  ASSERT_EQ(lexical[2], 0);
  EXPECT_GT(relevance.item[2], relevance.item[1]);
  EXPECT_DOUBLE_EQ(relevance.item[0], 1);  // First by words and second by meaning.
}

TEST_F(EmbeddingFusionTest, OnlyTheOrderChanges) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  static_cast<void>(fuse(embedder));
  EXPECT_NE(relevance.item, lexical);
  std::sort(relevance.item.begin(), relevance.item.end());
  std::sort(lexical.begin(), lexical.end());
  EXPECT_EQ(relevance.item, lexical);
}

TEST_F(EmbeddingFusionTest, AsksForTheQueryAndThenForThePassages) {
  std::vector<EmbeddingInput> inputs;
  StubEmbedder embedder([&](const Texts& texts, EmbeddingInput input) {
    inputs.push_back(input);
    return by_vehicle(texts);
  });
  static_cast<void>(fuse(embedder));
  EXPECT_EQ(inputs, (std::vector<EmbeddingInput>{EmbeddingInput::query, EmbeddingInput::passage}));
  EXPECT_EQ(embedder.calls[0], Texts{"repair a car in the harbour"});
  EXPECT_EQ(embedder.calls[1], (Texts{texts_.begin(), texts_.end()}));
}

TEST_F(EmbeddingFusionTest, OfManyPassagesTheLexicallyBestAreEmbedded) {
  for (int i = 0; i < 300; ++i) add("Larks sing.");
  add("Car park of the harbour.");
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  static_cast<void>(fuse(embedder));
  const Texts& asked = embedder.calls.at(1);
  EXPECT_EQ(asked.size(), 256U);
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "Car park of the harbour."), 1);
}

TEST_F(EmbeddingFusionTest, NothingIsAskedForNothing) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  EXPECT_EQ(fuse(embedder, "").error, "");
  slices_.clear();
  EXPECT_EQ(fuse(embedder).error, "");
  EXPECT_TRUE(embedder.calls.empty());
}

TEST_F(EmbeddingFusionTest, AFailureLeavesTheLexicalOrderAndIsReported) {
  StubEmbedder embedder([](const Texts&, EmbeddingInput) -> Result<Embeddings> {
    return fail(ErrorCode::unavailable, "the model is down");
  });
  EXPECT_EQ(fuse(embedder).error, "the model is down");
  EXPECT_EQ(relevance.item, lexical);
  EXPECT_EQ(embedder.calls.size(), 1U);
}

TEST_F(EmbeddingFusionTest, AnExceptionIsAFailureWithoutItsWords) {
  StubEmbedder embedder(
      [](const Texts&, EmbeddingInput) -> Result<Embeddings> { throw std::runtime_error("key 123"); });
  EXPECT_EQ(fuse(embedder).error, "the embedder threw");
  EXPECT_EQ(relevance.item, lexical);
}

TEST_F(EmbeddingFusionTest, AnotherNumberOfVectorsThanTextsIsAnError) {
  for (const EmbeddingInput input : {EmbeddingInput::query, EmbeddingInput::passage}) {
    EXPECT_NE(error_where([](Embeddings& reply) { reply.vectors.clear(); }, input), "");
    EXPECT_NE(error_where([](Embeddings& reply) { reply.vectors.emplace_back(2, 1.0F); }, input), "");
  }
}

TEST_F(EmbeddingFusionTest, VectorsOfDifferentLengthsAreAnError) {
  const auto longer = [](Embeddings& reply) {
    for (std::vector<float>& vector : reply.vectors) vector.push_back(1);
  };
  EXPECT_NE(error_where(longer, EmbeddingInput::query), "");
  EXPECT_NE(error_where(longer, EmbeddingInput::passage), "");
  EXPECT_NE(error_where([](Embeddings& reply) { reply.vectors[1].pop_back(); }, EmbeddingInput::passage), "");
}

TEST_F(EmbeddingFusionTest, VectorsWithoutNumbersAreAnError) {
  for (const EmbeddingInput input : {EmbeddingInput::query, EmbeddingInput::passage}) {
    for (const float number : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
      EXPECT_NE(error_where([number](Embeddings& reply) { reply.vectors[0][0] = number; }, input), "");
    EXPECT_NE(error_where([](Embeddings& reply) { reply.vectors[0].clear(); }, input), "");
  }
}

TEST_F(EmbeddingFusionTest, AVectorOfZerosIsLikeNothing) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput input) -> Result<Embeddings> {
    Embeddings reply = by_vehicle(texts);
    if (input == EmbeddingInput::passage) reply.vectors[0] = {0, 0};
    return reply;
  });
  EXPECT_EQ(fuse(embedder).error, "");
  EXPECT_GT(relevance.item[2], relevance.item[1]);
}

TEST_F(EmbeddingFusionTest, ReportsTheUsageOfBothCalls) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput) { return by_vehicle(texts); });
  const FusionReport report = fuse(embedder);
  EXPECT_EQ(report.usage.prompt_tokens, 40);
  EXPECT_EQ(report.usage.calls, 2);
}

TEST_F(EmbeddingFusionTest, ReportsTheUsageOfTheCallBeforeAFailure) {
  StubEmbedder embedder([](const Texts& texts, EmbeddingInput input) -> Result<Embeddings> {
    if (input == EmbeddingInput::passage) return fail(ErrorCode::unavailable, "down");
    return by_vehicle(texts);
  });
  const FusionReport report = fuse(embedder);
  EXPECT_EQ(report.error, "down");
  EXPECT_EQ(report.usage.prompt_tokens, 10);
}

}  // namespace
}  // namespace ctxmgr::engine
