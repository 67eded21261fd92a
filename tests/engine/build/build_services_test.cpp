#include "engine/build/build_services.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

std::shared_ptr<TokenCounter> counter(const std::string& tokenizer) {
  return make_token_counter([](std::string_view text) { return static_cast<std::int64_t>(text.size()); },
                            {tokenizer, !tokenizer.empty()});
}

std::string tokenizer_for(std::vector<std::shared_ptr<TokenCounter>> counters, const std::string& tokenizer) {
  ContextManagerOptions options;
  options.token_counters = std::move(counters);
  ModelInfo model;
  model.model = "m";
  model.tokenizer = tokenizer;
  return BuildServices(options).counter_for(model).info().tokenizer;
}

TEST(EnvironmentTest, TheModelsOwnVocabularyGoesBeforeOneForAll) {
  EXPECT_EQ(tokenizer_for({counter(""), nullptr, counter("o200k"), counter("cl100k")}, "cl100k"), "cl100k");
  EXPECT_EQ(tokenizer_for({counter("o200k"), counter("")}, "llama"), "");
  EXPECT_EQ(tokenizer_for({counter("o200k")}, "llama"), "");
}

TEST(EnvironmentTest, WhereNoCounterServesTokensAreEstimated) {
  ContextManagerOptions options;
  options.token_counters = {counter("o200k")};
  ModelInfo model;
  model.model = "m";
  model.tokenizer = "llama";
  EXPECT_FALSE(BuildServices(options).counter_for(model).info().exact);
}

TEST(EnvironmentTest, AnObserverThatThrowsIsNotHeardOf) {
  class Throwing final : public Observer {
   public:
    void on_event(const Event&) override { throw 42; }
  };
  ContextManagerOptions options;
  options.observer = std::make_shared<Throwing>();
  EXPECT_NO_THROW(BuildServices(options).tell(EventKind::warning, "scope", {}));
}

}  // namespace
}  // namespace ctxmgr::engine
