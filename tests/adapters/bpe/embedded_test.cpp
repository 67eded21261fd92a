#include "adapters/bpe/embedded.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::bpe {
namespace {

TEST(EmbeddedTest, HoldsTheWholeVocabularies) {
  const auto tokenizer = load_embedded("cl100k_base").value();
  EXPECT_EQ(tokenizer.vocabulary.size(), 100'256U);
  EXPECT_EQ(tokenizer.vocabulary.max_token_bytes(), 128U);
  EXPECT_EQ(tokenizer.vocabulary.text_of(9906), "Hello");
}

TEST(EmbeddedTest, KnowsNoOtherNames) { EXPECT_EQ(load_embedded("gpt2").error().code, ErrorCode::not_found); }

}  // namespace
}  // namespace ctxmgr::bpe
