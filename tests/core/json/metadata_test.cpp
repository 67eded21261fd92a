#include <gtest/gtest.h>

#include <limits>

#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

TEST(JsonMetadataTest, ReceiptsCarryTheirTotals) {
  ContextUtilizationMetadata metadata;
  metadata.planning_usage.planner = {100, 0, 0, 20, 1};
  metadata.cache_stats = {1, 3};
  const std::string text = to_json(metadata);
  EXPECT_NE(text.find(R"("total_tokens":120)"), std::string::npos);
  EXPECT_NE(text.find(R"("hit_rate":0.25)"), std::string::npos);
}

TEST(JsonMetadataTest, NotANumberNeverBreaksTheText) {
  ResponseMetadata metadata;
  metadata.total_cost_usd = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(from_json<ResponseMetadata>(to_json(metadata)));
}

ContextUtilizationMetadata filled() {
  ContextUtilizationMetadata metadata;
  metadata.model_name = "m";
  metadata.strategy = ContextUtilization::low;
  metadata.goal = ContextGoal::planning;
  metadata.tokens_exact = metadata.framing_exact = true;
  metadata.messages_included = 3;
  metadata.artifacts_processed.push_back({"a", "s", ArtifactType::tool_result, ProcessingStrategy::summarize,
                                          Trust::trusted, 1, 2, 3, 4, true, "r", "ref"});
  metadata.plan_source = PlanSource::kept;
  metadata.plan_repairs = {"one", "two"};
  metadata.planning_cost.embedder_cost_usd = 0.25;
  metadata.cache_breakpoints = {1, 5};
  metadata.timings = {{"plan", std::chrono::microseconds(1'500)}};
  metadata.notes = {"n"};
  metadata.note_codes = {NoteCode::time_was_up};
  metadata.budget_tokens = 900;
  metadata.messages_limit = 700;
  return metadata;
}

TEST(JsonMetadataTest, AReceiptComesBackWithEveryField) {
  const std::string text = to_json(filled());
  const auto read = from_json<ContextUtilizationMetadata>(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->artifacts_processed.at(0).reference, "ref");
  EXPECT_EQ(read->cache_breakpoints, (std::vector<std::size_t>{1, 5}));
  EXPECT_EQ(read->timings.at(0).elapsed.count(), 1'500);
  EXPECT_EQ(read->plan_source, PlanSource::kept);
  EXPECT_EQ(read->note_codes, std::vector<NoteCode>{NoteCode::time_was_up});
}

TEST(JsonMetadataTest, TheLimitOfMessagesHasItsOldNameBesideTheNewOne) {
  auto receipt = filled();
  receipt.input_tokens_used = 30;
  receipt.tools_tokens = 12;
  EXPECT_EQ(receipt.sent_tokens(), 42);
  EXPECT_NE(
      to_json(receipt).find(R"("budget_tokens":900,"messages_limit":700,"max_input_tokens":700,"sent_tokens":42,)"),
      std::string::npos);
  const auto stored_before = from_json<ContextUtilizationMetadata>(R"({"max_input_tokens":500})");
  ASSERT_TRUE(stored_before);
  EXPECT_EQ(stored_before->messages_limit, 500);
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(stored_before->max_input_tokens, 500);
#pragma GCC diagnostic pop
#endif
}

TEST(JsonMetadataTest, NegativeCountsAreRefused) {
  EXPECT_EQ(from_json<ContextUtilizationMetadata>(R"({"messages_included":-1})").error().message,
            "/messages_included: number out of range");
}

}  // namespace
}  // namespace ctxmgr
