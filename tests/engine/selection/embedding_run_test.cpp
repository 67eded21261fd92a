#include "engine/selection/embedding_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ctxmgr::engine {
namespace {

using Texts = std::vector<std::string_view>;

// A vector of the counts of a and b in each text. Keeps what it was asked for.
class CountingEmbedder : public Embedder {
 public:
  Result<Embeddings> embed(const Texts& texts, EmbeddingInput input, const CallOptions&) override {
    std::vector<std::string>& call = calls.emplace_back(texts.begin(), texts.end());
    if (error) return tl::unexpected(*error);
    Embeddings reply;
    reply.model = model;
    reply.usage.calls = 1;
    for (const std::string& text : call) {
      const auto count = [&text](char c) { return static_cast<float>(std::count(text.begin(), text.end(), c)); };
      reply.vectors.push_back({count('a'), count('b')});
    }
    if (input == changed) change(reply);
    return reply;
  }

  std::string model = "one";
  std::optional<Error> error;
  std::optional<EmbeddingInput> changed;
  std::function<void(Embeddings&)> change;
  std::vector<std::vector<std::string>> calls;
};

class EmbeddingRunTest : public ::testing::Test {
 protected:
  Result<std::vector<double>> ask(std::string_view question, const Texts& passages) {
    return EmbeddingRun(embedder, memo, {}).similarities(question, passages);
  }

  CountingEmbedder embedder;
  VectorMemo memo{1 << 20};
};

TEST_F(EmbeddingRunTest, GivesTheCosineOfEachPassageWithTheQuestion) {
  const auto similarities = ask("aa", {"a", "b", "ab", "a"});
  ASSERT_TRUE(similarities);
  ASSERT_EQ(similarities->size(), 4U);
  EXPECT_NEAR((*similarities)[0], 1, 1e-6);
  EXPECT_NEAR((*similarities)[1], 0, 1e-6);
  EXPECT_NEAR((*similarities)[2], 0.7071, 1e-4);
  EXPECT_NEAR((*similarities)[3], 1, 1e-6);
  EXPECT_EQ(embedder.calls[1], (std::vector<std::string>{"a", "b", "ab"}));  // Equal texts once.
}

TEST_F(EmbeddingRunTest, TheNextRunOverTheSameTextsAsksForItsQuestionAlone) {
  ASSERT_TRUE(ask("a", {"ab", "b"}));
  embedder.calls.clear();
  const auto similarities = ask("b", {"ab", "b"});
  ASSERT_TRUE(similarities);
  EXPECT_NEAR((*similarities)[1], 1, 1e-6);
  EXPECT_EQ(embedder.calls, (std::vector<std::vector<std::string>>{{"b"}}));
}

TEST_F(EmbeddingRunTest, OfTextsThatHaveGrownTheNewOnesAreEmbedded) {
  ASSERT_TRUE(ask("a", {"ab", "b"}));
  embedder.calls.clear();
  ASSERT_TRUE(ask("b", {"ab", "aab", "b"}));
  EXPECT_EQ(embedder.calls, (std::vector<std::vector<std::string>>{{"b"}, {"aab"}}));
}

TEST_F(EmbeddingRunTest, AQuestionIsEmbeddedOnceInARun) {
  EmbeddingRun run(embedder, memo, {});
  ASSERT_TRUE(run.similarities("a", {"ab", "b"}));
  ASSERT_TRUE(run.similarities("a", {"b"}));
  EXPECT_EQ(embedder.calls.size(), 2U);
  ASSERT_TRUE(run.similarities("b", {"b"}));
  EXPECT_EQ(embedder.calls.size(), 3U);
}

TEST_F(EmbeddingRunTest, VectorsOfAnotherModelAreNotUsed) {
  ASSERT_TRUE(ask("a", {"ab"}));
  embedder.model = "another";
  embedder.calls.clear();
  ASSERT_TRUE(ask("a", {"ab"}));
  EXPECT_EQ(embedder.calls.size(), 2U);
}

TEST_F(EmbeddingRunTest, AtMost256TextsAreSentAtOnce) {
  std::vector<std::string> texts;
  for (int i = 0; i < 600; ++i) texts.push_back(std::string(static_cast<std::size_t>(i), 'a') + "b");
  ASSERT_TRUE(ask("a", {texts.begin(), texts.end()}));
  ASSERT_EQ(embedder.calls.size(), 4U);
  EXPECT_EQ(embedder.calls[1].size(), 256U);
  EXPECT_EQ(embedder.calls[3].size(), 88U);
}

TEST_F(EmbeddingRunTest, AfterAFailureNothingMoreIsAsked) {
  embedder.error = Error{ErrorCode::unavailable, "down"};
  EmbeddingRun run(embedder, memo, {});
  EXPECT_EQ(run.similarities("a", {"b"}).error().message, "down");
  EXPECT_EQ(run.similarities("a", {"b"}).error().message, "down");
  EXPECT_EQ(embedder.calls.size(), 1U);
}

TEST_F(EmbeddingRunTest, UsageIsTakenOnce) {
  EmbeddingRun run(embedder, memo, {});
  ASSERT_TRUE(run.similarities("a", {"b"}));
  EXPECT_EQ(run.take_usage().calls, 2);
  EXPECT_EQ(run.take_usage().calls, 0);
}

TEST_F(EmbeddingRunTest, AnExceptionIsAFailureWithoutItsWords) {
  embedder.changed = EmbeddingInput::query;
  embedder.change = [](Embeddings&) { throw std::runtime_error("key 123"); };
  EXPECT_EQ(ask("a", {"b"}).error().message, "the embedder threw");
}

TEST_F(EmbeddingRunTest, AReplyThatIsNotOneVectorOfOneLengthForEachTextIsBadData) {
  const auto bad_data = [this](EmbeddingInput input, const std::function<void(Embeddings&)>& change) {
    embedder.changed = input;
    embedder.change = change;
    const auto asked = ask("a", {"ab", "b"});
    return !asked && asked.error().code == ErrorCode::bad_data;
  };
  for (const EmbeddingInput input : {EmbeddingInput::query, EmbeddingInput::passage}) {
    EXPECT_TRUE(bad_data(input, [](Embeddings& reply) { reply.vectors.clear(); }));
    EXPECT_TRUE(bad_data(input, [](Embeddings& reply) { reply.vectors.emplace_back(2, 1.0F); }));
    EXPECT_TRUE(bad_data(input, [](Embeddings& reply) { reply.vectors[0].clear(); }));
    EXPECT_TRUE(bad_data(input, [](Embeddings& reply) { reply.vectors.back() = {1, 2, 3}; }));
    for (const float number : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
      EXPECT_TRUE(bad_data(input, [number](Embeddings& reply) { reply.vectors[0][0] = number; }));
  }
}

TEST_F(EmbeddingRunTest, AVectorOfZerosIsLikeNothing) {
  const auto similarities = ask("a", {"c"});
  ASSERT_TRUE(similarities);
  EXPECT_EQ((*similarities)[0], 0);
}

TEST_F(EmbeddingRunTest, AMemoThatKeepsNothingChangesNoResult) {
  VectorMemo nothing(0);
  for (int i = 0; i < 2; ++i) {
    const auto similarities = EmbeddingRun(embedder, nothing, {}).similarities("a", {"ab"});
    ASSERT_TRUE(similarities);
    EXPECT_NEAR((*similarities)[0], 0.7071, 1e-4);
  }
  EXPECT_EQ(embedder.calls.size(), 4U);
}

}  // namespace
}  // namespace ctxmgr::engine
