#include <gtest/gtest.h>

#include "ctxmgr/adapters/bpe_encoding.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr {
namespace {

TEST(BpeTokenCounterTest, CountsExactlyWithO200kUnlessToldOtherwise) {
  const auto counter = make_bpe_token_counter().value();
  EXPECT_EQ(counter->info().tokenizer, "o200k_base");
  EXPECT_TRUE(counter->info().exact);
  EXPECT_TRUE(counter->info().framing_exact);
  EXPECT_EQ(counter->count("Hello, world"), 3);
  EXPECT_GT(counter->count_up_to("Hello, world", 1), 1);
}

TEST(BpeTokenCounterTest, ACounterOfEachEncodingCountsForAllModelsOfOpenai) {
  ContextManagerOptions options;
  options.token_counters = exact_counters();
  const ContextManager manager(options);
  Context context;
  context.conversation_history = {{Role::user, "Hello, world"}};
  for (const char* const model : {"gpt-5.6", "gpt-4o", "gpt-4", "gpt-3.5-turbo"}) {
    BuildRequest request;
    request.models = ModelConfig::from_request(model);
    EXPECT_TRUE(manager.build(context, request).value().metadata.tokens_exact) << model;
  }
}

TEST(BpeTokenCounterTest, AgreesWithTheProvidersExampleOfCountingMessages) {
  // OpenAI cookbook, "How to count tokens with tiktoken": 129 tokens with cl100k_base, 124 with o200k_base.
  const std::vector<std::pair<std::string, std::string>> said = {
      {"", "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."},
      {"example_user", "New synergies will help drive top-line growth."},
      {"example_assistant", "Things working well together will increase revenue."},
      {"example_user",
       "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."},
      {"example_assistant", "Let's talk later when we're less busy about how to do better."},
      {"", "This late pivot means we don't have time to boil the ocean for the client deliverable."}};
  std::vector<ConversationMessage> messages;
  for (std::size_t i = 0; i < said.size(); ++i) {
    messages.push_back({i + 1 < said.size() ? Role::system : Role::user, said[i].second});
    messages.back().name = said[i].first;
  }
  EXPECT_EQ(count_messages(*make_bpe_token_counter("cl100k_base").value(), messages), 129);
  EXPECT_EQ(count_messages(*make_bpe_token_counter().value(), messages), 124);
}

TEST(BpeTokenCounterThreadsTest, KeepsThePromisesOfThePort) {
  EXPECT_EQ(testing::check_token_counter(*make_bpe_token_counter().value()), std::vector<std::string>{});
}

TEST(BpeTokenCounterTest, SaysWhatIsWrongWithTheVocabulary) {
  EXPECT_EQ(make_bpe_token_counter("no_such_encoding").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace ctxmgr
