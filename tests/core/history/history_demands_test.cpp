#include "core/history/history_demands.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(HistoryDemandsTest, KnownServicesDemandWhatTheyRefuseAndTheUnknownAllOfIt) {
  const auto openai = demands_of_service("openai", "gpt-5");
  EXPECT_FALSE(openai.unique_ids);
  EXPECT_FALSE(openai.object_arguments);
  EXPECT_EQ(openai.empty_messages, EmptyMessages::refused);
  const auto unknown = demands_of_service("", "kimi-k2-instruct");
  EXPECT_TRUE(unknown.unique_ids);
  EXPECT_TRUE(unknown.object_arguments);
  EXPECT_EQ(unknown.empty_messages, EmptyMessages::blanks_refused);
  EXPECT_EQ(unknown.id_form, CallIdForm::any);
  EXPECT_FALSE(demands_of_service("google", "gemini-3-pro").unique_ids);
  EXPECT_EQ(demands_of_service("anthropic", "claude-sonnet-4-5").id_form, CallIdForm::words);
  EXPECT_EQ(demands_of_service("", "Mistral-large-latest").id_form, CallIdForm::nine_characters);
  EXPECT_EQ(demands_of_service("", "mistralai/Devstral-Small").id_form, CallIdForm::nine_characters);
}

TEST(HistoryDemandsTest, DeepSeekAndKimiNeedTheReasoningOfCalls) {
  EXPECT_TRUE(needs_past_reasoning("deepseek", "deepseek-v4-pro"));
  EXPECT_TRUE(needs_past_reasoning("", "Kimi-K2-Thinking"));
  EXPECT_FALSE(needs_past_reasoning("openai", "gpt-5"));
  EXPECT_FALSE(needs_past_reasoning("anthropic", "claude-sonnet-4-5"));
}

}  // namespace
}  // namespace ctxmgr
