#include "core/model_families.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

std::int64_t window(std::string_view model) { return family_window(model).value_or(0); }

TEST(ModelFamiliesTest, NamesOfLocalServersFindTheirFamily) {
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

TEST(ModelFamiliesTest, OtherNamesHaveNone) {
  for (const char* const name : {"", "my-own-model", "gpt-6-ultra", "claude-9", "/", "llama"})
    EXPECT_EQ(window(name), 0) << name;
}

}  // namespace
}  // namespace ctxmgr
