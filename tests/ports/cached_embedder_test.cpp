#include "ctxmgr/ports/cached_embedder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Texts = std::vector<std::string_view>;

/// Counts letters, and keeps what it was asked for.
class LetterEmbedder final : public Embedder {
 public:
  Result<Embeddings> embed(const Texts& texts, EmbeddingInput, const CallOptions&) override {
    if (keeps_calls) calls.emplace_back(texts.begin(), texts.end());
    if (down) return fail(ErrorCode::unavailable, "down");
    Embeddings embeddings{model, {}, {}};
    embeddings.usage.calls = 1;
    for (const auto text : texts) {
      std::vector<float> counts(length, 0.25F);
      for (const char letter : text) counts[static_cast<unsigned char>(letter) % length] += 1;
      if (text == "broken") counts[0] = std::numeric_limits<float>::infinity();
      embeddings.vectors.push_back(std::move(counts));
    }
    return embeddings;
  }

  std::string model = "letters";
  std::size_t length = 32;
  bool down = false;
  bool keeps_calls = true;
  std::vector<std::vector<std::string>> calls;
};

/// Answers as its function does.
class HarmfulStore final : public KeyValueStore {
 public:
  using Read = std::function<Result<std::vector<std::optional<StoredValue>>>(std::size_t keys)>;
  explicit HarmfulStore(Read read) : read_(std::move(read)) {}

  Result<std::vector<std::optional<StoredValue>>> read(std::string_view, const std::vector<std::string>& keys,
                                                       const CallOptions&) override {
    return read_(keys.size());
  }
  Result<std::uint64_t> write(std::string_view, const std::vector<KeyValueWrite>&, const CallOptions&) override {
    throw std::runtime_error("full");
  }
  Result<std::vector<KeyInfo>> list(std::string_view, std::string_view, std::string_view, std::size_t,
                                    const CallOptions&) override {
    return std::vector<KeyInfo>{};
  }
  Result<void> erase_namespace(std::string_view, const CallOptions&) override { return {}; }

 private:
  Read read_;
};

class CachedEmbedderTest : public ::testing::Test {
 protected:
  /// As a process that has just started: its question first, as a build asks.
  Result<Embeddings> restart_and_ask(const Texts& passages) {
    const auto embedder = make_cached_embedder(service, store);
    EXPECT_TRUE(embedder->embed({"a question"}, EmbeddingInput::query, {}));
    service->calls.clear();
    return embedder->embed(passages, EmbeddingInput::passage, {});
  }

  std::shared_ptr<LetterEmbedder> service = std::make_shared<LetterEmbedder>();
  std::shared_ptr<KeyValueStore> store = make_memory_key_value_store();
};

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return dot / std::sqrt(aa * bb);
}

TEST_F(CachedEmbedderTest, AfterARestartOnlyNewPassagesAreAskedFor) {
  const auto before = restart_and_ask({"a boat", "a car"});
  ASSERT_TRUE(before);
  const auto after = restart_and_ask({"a car", "a train", "a boat"});
  ASSERT_TRUE(after);
  EXPECT_THAT(service->calls, ElementsAre(ElementsAre("a train")));
  EXPECT_EQ(after->model, "letters");
  EXPECT_EQ(after->usage.calls, 1);
  ASSERT_EQ(after->vectors.size(), 3U);
  EXPECT_GT(cosine(after->vectors[0], before->vectors[1]), 0.999);
  EXPECT_GT(cosine(after->vectors[2], before->vectors[0]), 0.999);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_NEAR(after->vectors[0][i], before->vectors[1][i], 2.25 / 127);
}

TEST_F(CachedEmbedderTest, AKnownQuestionIsAskedAgain) {
  const auto embedder = make_cached_embedder(service, store);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(embedder->embed({"a boat"}, EmbeddingInput::query, {}));
  EXPECT_EQ(service->calls.size(), 2U);
}

TEST_F(CachedEmbedderTest, VectorsOfAnotherModelAreNotUsed) {
  ASSERT_TRUE(restart_and_ask({"a boat"}));
  service->model = "other";
  const auto other = restart_and_ask({"a boat"});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->model, "other");
  EXPECT_EQ(service->calls.size(), 1U);
}

TEST_F(CachedEmbedderTest, AModelThatChangesAmongThePassagesIsAskedForAll) {
  ASSERT_TRUE(restart_and_ask({"a boat"}));
  const auto embedder = make_cached_embedder(service, store);
  for (const bool by_name : {true, false}) {
    ASSERT_TRUE(embedder->embed({"a question"}, EmbeddingInput::query, {}));
    ASSERT_TRUE(embedder->embed({"a boat"}, EmbeddingInput::passage, {}));
    service->calls.clear();
    if (by_name)
      service->model = "other";
    else
      service->length = 16;
    const auto all = embedder->embed({"a boat", by_name ? "a car" : "a train"}, EmbeddingInput::passage, {});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->model, "other");
    EXPECT_EQ(all->usage.calls, 2);
    EXPECT_EQ(service->calls.back().size(), 2U);
    EXPECT_EQ(all->vectors[0].size(), service->length);
    EXPECT_EQ(all->vectors[1].size(), service->length);
  }
}

TEST_F(CachedEmbedderTest, ThePassagesMayComeBeforeAnyQuestion) {
  ASSERT_TRUE(restart_and_ask({"a boat"}));
  const auto embedder = make_cached_embedder(service, store);
  service->calls.clear();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(embedder->embed({"a boat"}, EmbeddingInput::passage, {}));
  EXPECT_EQ(service->calls.size(), 1U);
}

TEST_F(CachedEmbedderTest, TheSameTextTwiceIsNoFailure) {
  ASSERT_TRUE(restart_and_ask({"a boat", "a boat"}));
  const auto again = restart_and_ask({"a boat", "a boat"});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->vectors[0], again->vectors[1]);
  EXPECT_THAT(service->calls, IsEmpty());
}

TEST_F(CachedEmbedderTest, WhatIsNoVectorIsNotKept) {
  ASSERT_TRUE(restart_and_ask({"broken"}));
  ASSERT_TRUE(restart_and_ask({"broken"}));
  EXPECT_EQ(service->calls.size(), 1U);
}

TEST_F(CachedEmbedderTest, AStoreThatFailsOrHoldsSomethingElseCostsACallAndNoError) {
  const auto answers = [](const std::string& value) {
    return [value](std::size_t keys) { return std::vector<std::optional<StoredValue>>(keys, StoredValue{value, 1}); };
  };
  const std::vector<HarmfulStore::Read> harms = {
      [](std::size_t) { return fail(ErrorCode::unavailable, "gone"); },
      [](std::size_t) -> Result<std::vector<std::optional<StoredValue>>> { throw std::runtime_error("gone"); },
      [](std::size_t) { return std::vector<std::optional<StoredValue>>(); },
      answers(""),
      answers("abc"),
      answers(std::string("\x00\x00\xc0\x7f\x01", 5)),  // Steps of no number,
      answers(std::string("\x00\x00\x80\x3f\x01", 5)),  // and a vector of one.
  };
  for (std::size_t i = 0; i < harms.size(); ++i) {
    store = std::make_shared<HarmfulStore>(harms[i]);
    const auto reply = restart_and_ask({"a boat", "a car"});
    ASSERT_TRUE(reply) << i;
    if (i + 1 == harms.size()) continue;  // It is one, of another text's: nobody can tell.
    EXPECT_EQ(reply->vectors[1].size(), 32U) << i;
    EXPECT_EQ(service->calls.size(), 1U) << i;
  }
}

TEST_F(CachedEmbedderTest, AFailureOfTheServiceIsTheCallers) {
  ASSERT_TRUE(restart_and_ask({"a boat"}));
  const auto embedder = make_cached_embedder(service, store);
  ASSERT_TRUE(embedder->embed({"a question"}, EmbeddingInput::query, {}));
  service->down = true;
  EXPECT_TRUE(embedder->embed({"a boat"}, EmbeddingInput::passage, {}));
  const auto reply = embedder->embed({"a boat", "a car"}, EmbeddingInput::passage, {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::unavailable);
}

TEST_F(CachedEmbedderTest, ForgetsWithItsNamespaceAlone) {
  ASSERT_TRUE(restart_and_ask({"a boat"}));
  ASSERT_TRUE(store->erase_namespace("another", {}));
  ASSERT_TRUE(restart_and_ask({"a boat"}));
  EXPECT_THAT(service->calls, IsEmpty());
  ASSERT_TRUE(store->erase_namespace(cached_vectors_namespace, {}));
  ASSERT_TRUE(restart_and_ask({"a boat"}));
  EXPECT_EQ(service->calls.size(), 1U);
}

TEST_F(CachedEmbedderTest, WithoutAStoreOrAnEmbedder) {
  store = nullptr;
  EXPECT_TRUE(restart_and_ask({"a boat"}));
  EXPECT_EQ(make_cached_embedder(nullptr, nullptr)->embed({"a"}, EmbeddingInput::query, {}).error().code,
            ErrorCode::invalid_argument);
}

TEST_F(CachedEmbedderTest, KeepsThePortsPromisesColdAndWarm) {
  service->keeps_calls = false;  // It is called by several threads.
  for (int run = 0; run < 2; ++run)
    EXPECT_THAT(testing::check_embedder(*make_cached_embedder(service, store)), IsEmpty());
}

}  // namespace
}  // namespace ctxmgr
