#include "engine/layout.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

/// How a build shares its room, as its messages show.
class LayoutTest : public testing::BuildTest {
 protected:
  static bool sends(const BuiltContext& built, const std::string& text) {
    for (const auto& message : built.messages) {
      if (text_of(message) == text) return true;
    }
    return false;
  }
};

TEST_F(LayoutTest, TheNewestGroupHasAPlaceWhateverElseWantsTheRoom) {
  const auto answer = words(250);
  say(Role::user, words(600));
  say(Role::assistant, answer);
  say(Role::user, "And filler3?");
  attach("doc", words(3'000));
  const auto built = build(900);
  ASSERT_TRUE(built);
  EXPECT_TRUE(sends(*built, answer));
}

TEST_F(LayoutTest, AfterACutThePrefixKeepsItsBytesForTurns) {
  std::vector<std::string> before;
  int cuts = 0;
  constexpr int turns = 40;
  for (int turn = 0; turn < turns; ++turn) {
    say(Role::user, "question " + std::to_string(turn) + " " + words(15));
    const auto built = build(1'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    std::vector<std::string> now;
    // Up to the volatile part: the block before the question, and the question.
    const auto& breaks = built->metadata.cache_breakpoints;
    const auto stable = breaks.size() > 1 ? breaks[breaks.size() - 2] + 1 : 0;
    for (std::size_t i = 0; i < stable; ++i) now.push_back(to_openai_json({built->messages[i]}));
    if (now.size() < before.size() || !std::equal(before.begin(), before.end(), now.begin())) ++cuts;
    before = std::move(now);
    say(Role::assistant, "answer " + std::to_string(turn) + " " + words(15));
  }
  EXPECT_LE(cuts, turns / 4);
}

TEST_F(LayoutTest, LosingTheThreadStateCostsNoCorrectness) {
  for (int i = 0; i < 30; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, words(40));
  say(Role::user, "go on");
  const auto built = build(900);
  ASSERT_TRUE(built);
  EXPECT_LE(built->metadata.input_tokens_used, 900);
  EXPECT_EQ(text_of(built->messages.back()), "go on");
}

TEST_F(LayoutTest, AnEmbeddersUsageIsCountedOverAllSelections) {
  class Counting final : public Embedder {
   public:
    Result<Embeddings> embed(const std::vector<std::string_view>& texts, EmbeddingInput, const CallOptions&) override {
      Embeddings reply;
      reply.vectors.assign(texts.size(), {1.0F, 0.5F});
      reply.usage.prompt_tokens = 10;
      total += 10;
      return reply;
    }
    std::int64_t total = 0;
  };
  const auto embedder = std::make_shared<Counting>();
  options_.embedder = embedder;
  say(Role::user, "filler3?");
  attach("doc", words(3'000));
  const auto built = build(900);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.planning_usage.embedder.prompt_tokens, embedder->total);
  const auto before = embedder->total;
  ASSERT_TRUE(ContextManager(options_).plan(context_, request_));
  EXPECT_EQ(embedder->total, before);  // A dry run asks nobody.
}

TEST_F(LayoutTest, WhatIsWrittenShorterWithoutLossIsWhole) {
  std::string json = "[";
  for (int i = 0; i < 40; ++i)
    json += "\n        {\n            \"invoice\" :   " + std::to_string(i) + "\n        }" + (i < 39 ? "," : "\n]");
  say(Role::user, "Which invoice?");
  attach("list.json", json);
  const auto counter = make_approximate_token_counter();
  const auto built = build(counter->count(json));
  ASSERT_TRUE(built);
  EXPECT_LE(built->metadata.input_tokens_used, counter->count(json));
  const auto& record = built->metadata.artifacts_processed[0];
  EXPECT_TRUE(record.strategy != ProcessingStrategy::include_full || record.processed_tokens < record.original_tokens);
}

}  // namespace
}  // namespace ctxmgr::engine
