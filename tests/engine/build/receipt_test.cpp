#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::decision;
using testing::planner_reply;
using testing::saying;
using testing::words;

class BuildReceiptTest : public testing::BuildTest {
 protected:
  static const ArtifactUsageRecord& record(const BuiltContext& built, const std::string& id) {
    for (const auto& record : built.metadata.artifacts_processed) {
      if (contains(record.artifact_id, id)) return record;
    }
    static const ArtifactUsageRecord none;
    return none;
  }
};

TEST_F(BuildReceiptTest, IncludedTransformedAndExcludedAreAllOfThem) {
  say(Role::user, "Why do stripes of a zebra confuse flies?");
  attach("whole", "The stripes of a zebra confuse flies: they cannot land where contrast moves.");
  attach("long", words(2'000, "zebra"));
  attach("foreign", words(2'000, "sailing"));
  const auto built = build(700);
  ASSERT_TRUE(built);
  const auto& receipt = built->metadata;
  EXPECT_EQ(receipt.artifacts_included + receipt.artifacts_transformed + receipt.artifacts_excluded, 3U);
  EXPECT_EQ(record(*built, "whole").strategy, ProcessingStrategy::include_full);
  EXPECT_EQ(record(*built, "long").strategy, ProcessingStrategy::rag_extract);
  EXPECT_LT(record(*built, "long").processed_tokens, record(*built, "long").original_tokens);
}

TEST_F(BuildReceiptTest, WhatIsLeftOutOrShortenedSaysWhy) {
  say(Role::user, "Why do stripes of a zebra confuse flies?");
  attach("long", words(2'000, "zebra"));
  attach("foreign", words(2'000, "sailing"));
  const auto built = build(700);
  ASSERT_TRUE(built);
  EXPECT_EQ(record(*built, "foreign").strategy, ProcessingStrategy::exclude);
  for (const auto& record : built->metadata.artifacts_processed) EXPECT_NE(record.reason, "") << record.artifact_id;
}

TEST_F(BuildReceiptTest, WhatRepeatsOthersIsExcludedForThat) {
  say(Role::user, "Why do stripes of a zebra confuse flies?");
  const std::string told =
      "The stripes of a zebra confuse flies because they cannot land well where such a contrast moves.";
  attach("first", told);
  attach("again", told + " ");
  std::string other;
  for (int i = 0; i < 200; ++i)
    other += "Stripe " + std::to_string(i) + " of a zebra confuses " + words(3, "fly") + "\n";
  attach("long", other);
  const auto built = build(300);
  ASSERT_TRUE(built);
  const bool first = record(*built, "first").strategy == ProcessingStrategy::exclude;
  EXPECT_EQ(record(*built, first ? "first" : "again").strategy, ProcessingStrategy::exclude);
  EXPECT_TRUE(contains(record(*built, first ? "first" : "again").reason, "repeats"));
}

TEST_F(BuildReceiptTest, WhatFitsCostsWhatIncludingEverythingCosts) {
  say(Role::system, "Be brief.");
  say(Role::user, "What about zebras?");
  attach("whole", "Zebras have stripes.");
  const auto built = build(1'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.include_all_tokens, built->metadata.input_tokens_used);
}

TEST_F(BuildReceiptTest, PlanAndSummariesArePricedApart) {
  use_client();
  request_.models.context_planner = request_.models.summarizer = "gpt-4o-mini";
  client_->then_reply(saying(planner_reply(decision("a1", "summarize", "", 200)), 1'000))
      .then_reply(saying("filler0", 4'000));
  say(Role::user, "question");
  attach("long", words(3'000));
  const auto built = build(2'000);
  ASSERT_TRUE(built);
  const auto& cost = built->metadata.planning_cost;
  EXPECT_GT(cost.planner_cost_usd, 0);
  EXPECT_NEAR(cost.summarizer_cost_usd, 4 * cost.planner_cost_usd, 1e-12);
  EXPECT_EQ(built->metadata.planning_usage.total().prompt_tokens, 5'000);
}

TEST_F(BuildReceiptTest, APinnedResultIsWholeWhereOthersAreCut) {
  say(Role::user, "Investigate.");
  for (int i = 0; i < 8; ++i) {
    const auto id = "c" + std::to_string(i);
    add(testing::tool_call(id));
    add(testing::tool_result(id, "result " + std::to_string(i) + " " + words(150)));
    if (i == 1) context_.conversation_history.back().retention = Retention::pinned;
    ReasoningStepRecord step;
    step.step_index = i;
    step.tool_results.push_back({"search", true, text_of(context_.conversation_history.back())});
    context_.step_records.push_back(step);
    const auto grown = build(2'500);
    ASSERT_TRUE(grown) << grown.error().message;
    if (i < 7) request_.thread_state = grown->thread_state;
  }
  const auto built = build(2'500);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(record(*built, "step_1_").strategy, ProcessingStrategy::include_full);
  EXPECT_TRUE(contains(testing::all_text(built->messages), "result 1 "));
  const auto& records = built->metadata.artifacts_processed;
  EXPECT_TRUE(std::any_of(records.begin(), records.end(),
                          [](const auto& r) { return r.strategy == ProcessingStrategy::exclude; }));
}

TEST_F(BuildReceiptTest, MessagesThatWereCutSayWhichOfThemAreEvidence) {
  say(Role::user, "Look through every file.");
  std::size_t told = 0;
  for (int i = 0; i < 40; ++i) {
    const auto id = "c" + std::to_string(i);
    add(testing::tool_call(id));
    if (i == 3) told = context_.conversation_history.size();
    add(testing::tool_result(id, i == 3 ? "The gate of the harbour opens at 0615." : words(60, id + "x")));
    const auto built = build(2'000);
    ASSERT_TRUE(built) << built.error().message;
    request_.thread_state = built->thread_state;
  }
  const auto before = build(2'000);
  EXPECT_FALSE(contains(record(*before, "history_").reason, "evidence"));
  EXPECT_EQ(record(*before, "history_").processed_tokens, 0);
  say(Role::assistant, "I have looked through them.");
  say(Role::user, "When does the gate of the harbour open?");
  const auto built = build(2'000);
  ASSERT_TRUE(built) << built.error().message;
  ASSERT_TRUE(contains(testing::all_text(built->messages), "opens at 0615"));
  const auto& reason = record(*built, "history_").reason;
  EXPECT_TRUE(contains(reason, " [" + std::to_string(told + 1) + "]")) << reason;
  EXPECT_TRUE(contains(reason, "; evidence is from [")) << reason;
  EXPECT_EQ(record(*built, "history_").strategy, ProcessingStrategy::rag_extract);
  EXPECT_EQ(record(*built, "history_").processed_tokens, built->metadata.breakdown.artifact_tokens);
}

TEST_F(BuildReceiptTest, NeverHoldsContent) {
  say(Role::user, "question with SECRETWORD");
  attach("long", words(1'000, "SECRETWORD"));
  attach("short", "SECRETWORD");
  std::string events;
  options_.observer = make_observer([&](const Event& event) {
    for (const auto& field : event.fields) {
      if (const auto* text = std::get_if<std::string_view>(&field.value)) events += *text;
    }
  });
  const auto built = build(500);
  ASSERT_TRUE(built);
  EXPECT_FALSE(contains(to_json(built->metadata), "SECRETWORD"));
  EXPECT_FALSE(contains(events, "SECRETWORD"));
}

TEST_F(BuildReceiptTest, BreakpointsAreAfterInstructionsAndBeforeWhatChanges) {
  say(Role::system, "Be brief.");
  say(Role::user, "First.");
  say(Role::assistant, "Yes.");
  say(Role::user, "What about zebras?");
  attach("note", "Zebras have stripes.");
  const auto built = build(1'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.cache_breakpoints, (std::vector<std::size_t>{0, 3, 4}))
      << "a whole document does not change";
}

TEST_F(BuildReceiptTest, TimesEveryStepOnce) {
  say(Role::user, "hello");
  const auto built = build(500);
  ASSERT_TRUE(built);
  std::string steps;
  for (const auto& timing : built->metadata.timings) steps += timing.step + " ";
  EXPECT_EQ(steps, "prepare layout plan execute fill verify archive receipt ");
}

/// Counts a prompt as a template does that adds an instruction of 25 tokens, which no sum of messages shows.
class WithInstruction final : public TokenCounter {
 public:
  TokenCounterInfo info() const override { return {{}, true, false, true}; }
  std::int64_t count(std::string_view text) const override { return static_cast<std::int64_t>(text.size() + 3) / 4; }
  std::int64_t count_prompt(const std::vector<ConversationMessage>& messages) const override {
    return TokenCounter::count_prompt(messages) + 25;
  }
};

TEST_F(BuildReceiptTest, ThePromptAsAWholeHasTheLastWord) {
  for (int i = 0; i < 40; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, testing::words(100));
  say(Role::user, "go on");
  const auto counter = std::make_shared<WithInstruction>();
  options_.token_counters = {counter};
  for (std::int64_t budget = 100; budget <= 2'000; budget += 100) {
    const auto built = build(budget);
    ASSERT_TRUE(built) << budget;
    EXPECT_LE(counter->count_prompt(built->messages), budget);
    EXPECT_EQ(counter->count_prompt(built->messages), built->metadata.input_tokens_used);
    EXPECT_EQ(built->metadata.breakdown.overhead_tokens, 3 + 25);
    EXPECT_TRUE(built->metadata.framing_exact);
  }
}

/// A counter of the host's own that is wrong about all texts.
class Liar final : public TokenCounter {
 public:
  explicit Liar(std::int64_t tokens) : tokens_(tokens) {}
  TokenCounterInfo info() const override { return {{}, true}; }
  std::int64_t count(std::string_view /*text*/) const override { return tokens_; }

 private:
  std::int64_t tokens_;
};

TEST_F(BuildReceiptTest, SaysThatTheCounterOfTheHostIsWrong) {
  for (int i = 0; i < 20; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, testing::words(100));
  say(Role::user, "go on");
  const auto right = build(1'000);
  ASSERT_TRUE(right);
  for (const auto lie : {INT64_MAX, INT64_MIN, std::int64_t{-1}}) {
    options_.token_counters = {std::make_shared<Liar>(lie)};
    const auto built = build(1'000);
    ASSERT_TRUE(built) << lie;
    EXPECT_EQ(to_openai_json(built->messages), to_openai_json(right->messages)) << lie;
    EXPECT_FALSE(built->metadata.tokens_exact);
    ASSERT_FALSE(built->metadata.notes.empty());
    EXPECT_TRUE(testing::contains(built->metadata.notes.back(), "counts that no text has")) << lie;
  }
}

}  // namespace
}  // namespace ctxmgr
