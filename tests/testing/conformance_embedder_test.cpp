#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Texts = std::vector<std::string_view>;

/// An embedder that counts letters and then does `harm`; past make_embedder, which would catch most of it.
class LetterEmbedder final : public Embedder {
 public:
  using Harm = std::function<void(Embeddings&, EmbeddingInput)>;
  explicit LetterEmbedder(Harm harm = {}) : harm_(std::move(harm)) {}

  Result<Embeddings> embed(const Texts& texts, EmbeddingInput input, const CallOptions&) override {
    Embeddings embeddings{"letters", {}, {}};
    for (const auto text : texts) {
      std::vector<float> counts(32);
      for (const char letter : text) counts[static_cast<unsigned char>(letter) % 32U] += 1;
      embeddings.vectors.push_back(std::move(counts));
    }
    if (harm_) harm_(embeddings, input);
    return embeddings;
  }

 private:
  Harm harm_;
};

std::vector<std::string> broken_by_harm(LetterEmbedder::Harm harm) {
  LetterEmbedder embedder(std::move(harm));
  return check_embedder(embedder);
}

TEST(ConformanceEmbedderThreadsTest, FindsNothingWrongWithAnHonestEmbedder) {
  LetterEmbedder embedder;
  EXPECT_THAT(check_embedder(embedder), IsEmpty());
}

TEST(ConformanceEmbedderTest, FindsAMissingVector) {
  EXPECT_THAT(broken_by_harm([](Embeddings& e, EmbeddingInput) {
                if (!e.vectors.empty()) e.vectors.pop_back();
              }),
              Contains(HasSubstr("one vector for each text")));
}

TEST(ConformanceEmbedderTest, FindsVectorsOfDifferentLengths) {
  EXPECT_THAT(broken_by_harm([](Embeddings& e, EmbeddingInput) {
                if (!e.vectors.empty()) e.vectors.back().push_back(0);
              }),
              Contains(HasSubstr("differ in length")));
}

TEST(ConformanceEmbedderTest, FindsVectorsInTheWrongOrder) {
  EXPECT_THAT(broken_by_harm([](Embeddings& e, EmbeddingInput) { std::sort(e.vectors.begin(), e.vectors.end()); }),
              Contains(HasSubstr("order of the texts")));
}

TEST(ConformanceEmbedderTest, FindsAQueryFromAnotherModel) {
  EXPECT_THAT(broken_by_harm([](Embeddings& e, EmbeddingInput input) {
                if (input == EmbeddingInput::query) e.model = "other";
              }),
              Contains(HasSubstr("another model")));
}

TEST(ConformanceEmbedderTest, FindsAnException) {
  EXPECT_THAT(broken_by_harm([](Embeddings&, EmbeddingInput) { throw std::runtime_error("no"); }),
              Contains("embed threw an exception"));
}

}  // namespace
}  // namespace ctxmgr::testing
