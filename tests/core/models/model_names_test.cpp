#include "core/models/model_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ctxmgr {
namespace {

using testing::Contains;
using testing::Not;

TEST(ModelNamesTest, TheNameItselfComesFirstInLowerCase) {
  EXPECT_EQ(candidate_model_names("GPT-4o").front(), "gpt-4o");
  EXPECT_EQ(candidate_model_names("openai/gpt-4o-2024-08-06").front(), "openai/gpt-4o-2024-08-06");
}

TEST(ModelNamesTest, ProvidersVariantsVersionsAndDatesComeOff) {
  for (const char* name :
       {"openai/gpt-4o", "openrouter/openai/gpt-4o:free", "gpt-4o-2024-08-06", "gpt-4o-20240806", "gpt-4o-0806",
        "gpt-4o-latest", "ft:gpt-4o-2024-08-06:acme::7p4lURel", "gpt-4o-preview-2024-08-06", "GPT-4O@20240806"}) {
    EXPECT_THAT(candidate_model_names(name), Contains("gpt-4o")) << name;
  }
  EXPECT_THAT(candidate_model_names("us.anthropic.claude-sonnet-4-20250514-v1:0"), Contains("claude-sonnet-4"));
  EXPECT_THAT(candidate_model_names("anthropic/claude-sonnet-4.5"), Contains("claude-sonnet-4-5"));
}

TEST(ModelNamesTest, VersionsThatArePartOfTheNameStay) {
  EXPECT_THAT(candidate_model_names("qwen2.5-72b"), Not(Contains("5-72b")));
  EXPECT_THAT(candidate_model_names("gpt-4.1"), Not(Contains("gpt-4")));
}

TEST(ModelNamesTest, KnowsTheVocabulariesOfOpenAi) {
  EXPECT_EQ(tokenizer_of("openai/gpt-4o-mini"), "o200k_base");
  EXPECT_EQ(tokenizer_of("gpt-4.1-nano"), "o200k_base");
  EXPECT_EQ(tokenizer_of("o3-mini"), "o200k_base");
  EXPECT_EQ(tokenizer_of("gpt-4-turbo"), "cl100k_base");
  EXPECT_EQ(tokenizer_of("ft:gpt-3.5-turbo:acme"), "cl100k_base");
  EXPECT_EQ(tokenizer_of("text-embedding-3-small"), "cl100k_base");
  EXPECT_EQ(tokenizer_of("claude-sonnet-4"), "");
}

TEST(ModelNamesTest, AnyNameHasACandidate) {
  rc::check([](const std::string& name) { RC_ASSERT(!candidate_model_names(name).empty()); });
}

}  // namespace
}  // namespace ctxmgr
