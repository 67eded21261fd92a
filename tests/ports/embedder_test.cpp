#include "ctxmgr/ports/embedder.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace ctxmgr {
namespace {

using Vectors = std::vector<std::vector<float>>;

std::unique_ptr<Embedder> embedder_of(Vectors vectors) {
  return make_embedder(
      [vectors = std::move(vectors)](const auto&, EmbeddingInput, const CallOptions&) -> Result<Embeddings> {
        return Embeddings{"model", vectors, {}};
      });
}

ErrorCode code_for(Vectors vectors) {
  const auto result = embedder_of(std::move(vectors))->embed({"one", "two"}, EmbeddingInput::passage, {});
  return result ? ErrorCode::internal : result.error().code;
}

TEST(EmbedderTest, PassesTextsAndReplyThrough) {
  const auto embedder = make_embedder(
      [](const std::vector<std::string_view>& texts, EmbeddingInput input, const CallOptions&) -> Result<Embeddings> {
        EXPECT_EQ(texts, (std::vector<std::string_view>{"a", "b"}));
        EXPECT_EQ(input, EmbeddingInput::query);
        return Embeddings{"model", {{1, 2}, {3, 4}}, {}};
      });
  const auto result = embedder->embed({"a", "b"}, EmbeddingInput::query, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->model, "model");
  EXPECT_EQ(result->vectors, (Vectors{{1, 2}, {3, 4}}));
}

TEST(EmbedderTest, PassesErrorsThrough) {
  const auto embedder = make_embedder([](const auto&, EmbeddingInput, const CallOptions&) -> Result<Embeddings> {
    return fail(ErrorCode::unavailable, "busy");
  });
  const auto result = embedder->embed({"a"}, EmbeddingInput::query, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(result.error().message, "busy");
}

TEST(EmbedderTest, MakesAnErrorOfAnExceptionWithoutItsWords) {
  const auto embedder = make_embedder([](const auto&, EmbeddingInput, const CallOptions&) -> Result<Embeddings> {
    throw std::runtime_error("key sk-123");
  });
  const auto result = embedder->embed({"a"}, EmbeddingInput::query, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::internal);
  EXPECT_EQ(result.error().message.find("sk-123"), std::string::npos);
}

TEST(EmbedderTest, AnEmptyFunctionIsAnErrorAndNotACrash) {
  const auto result = make_embedder({})->embed({"a"}, EmbeddingInput::query, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::internal);
}

TEST(EmbedderTest, RefusesVectorsThatCannotBeCompared) {
  EXPECT_EQ(code_for({{1, 2}}), ErrorCode::bad_data) << "one vector for two texts";
  EXPECT_EQ(code_for({{1, 2}, {1, 2, 3}}), ErrorCode::bad_data) << "different lengths";
  EXPECT_EQ(code_for({{}, {}}), ErrorCode::bad_data) << "empty vectors";
  EXPECT_EQ(code_for({{1, 2}, {1, std::numeric_limits<float>::quiet_NaN()}}), ErrorCode::bad_data) << "not a number";
}

TEST(EmbedderTest, NoTextsGiveNoVectors) {
  const auto result = embedder_of({})->embed({}, EmbeddingInput::passage, {});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->vectors.empty());
}

}  // namespace
}  // namespace ctxmgr
