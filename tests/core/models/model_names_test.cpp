#include "core/models/model_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ctxmgr {
namespace {

using ::testing::Contains;
using ::testing::Not;

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

std::int64_t window(std::string_view model) {
  const auto family = model_family(model);
  return family ? family->context_window_tokens : 0;
}

TEST(ModelNamesTest, NamesOfLocalServersFindTheirFamily) {
  EXPECT_EQ(window("llama3.1:8b"), 131'072);
  EXPECT_EQ(window("meta-llama/Llama-3.1-8B-Instruct"), 131'072);
  EXPECT_EQ(window("Meta-Llama-3-8B-Instruct.Q4_K_M.gguf"), 8'192);
  EXPECT_EQ(window("/models/qwen2.5-7b-instruct-q4_k_m.gguf"), 32'768);
  EXPECT_EQ(window("Qwen/Qwen3-32B"), 40'960);
  EXPECT_EQ(window("qwen3-coder:30b"), 262'144);
  EXPECT_EQ(window("mistral:7b"), 32'768);
  EXPECT_EQ(window("mistralai/Mistral-Nemo-Instruct-2407"), 131'072);
  EXPECT_EQ(window("gpt-oss:20b"), 131'072);
  EXPECT_EQ(window("deepseek-r1:14b"), 131'072);
  EXPECT_EQ(window("google/gemma-2-9b-it"), 8'192);
  EXPECT_EQ(window("gemma3:12b"), 131'072);
  EXPECT_EQ(window("gemma3:1b"), 32'768);
  EXPECT_EQ(window("microsoft/Phi-3-mini-128k-instruct"), 131'072);
  EXPECT_EQ(window("phi3:mini"), 4'096);
}

TEST(ModelNamesTest, OtherNamesHaveNone) {
  for (const char* const name : {"", "my-own-model", "gpt-6-ultra", "claude-9", "/", "llama"})
    EXPECT_EQ(window(name), 0) << name;
}

TEST(ModelNamesTest, TemplatesThatTakeMoreSayHowMuch) {
  EXPECT_EQ(model_family("llama3.1")->message_overhead, 1);
  EXPECT_GT(model_family("gpt-oss:20b")->request_overhead, 50);
}

TEST(ModelNamesTest, ManyNamesSayHowLargeTheModelIs) {
  EXPECT_EQ(billions_of_parameters("qwen2.5:0.5b"), 0.5);
  EXPECT_EQ(billions_of_parameters("/models/Qwen2.5-7B-Instruct-1M-Q4_K_M.gguf"), 7);
  EXPECT_EQ(billions_of_parameters("SmolLM2-135M-Instruct.Q4_1.gguf"), 0.135);
  EXPECT_EQ(billions_of_parameters("Qwen3-30B-A3B"), 30);
  EXPECT_EQ(billions_of_parameters("mixtral:8x7b"), 7);
  for (const char* const name :
       {"", "gpt-5.6", "claude-sonnet-4[1m]", "gemma-4bit", "gemma3n:e2b", "b", ".b", "phi3:128k", "my-m"})
    EXPECT_EQ(billions_of_parameters(name), std::nullopt) << name;
}

TEST(ModelNamesTest, NoNameIsOfASizeBelowNothing) {
  rc::check([](const std::string& name) { RC_ASSERT(billions_of_parameters(name).value_or(1) > 0); });
}

}  // namespace
}  // namespace ctxmgr
