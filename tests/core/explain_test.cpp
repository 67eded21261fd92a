#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/utf8.hpp"
#include "ctxmgr/core/metadata.hpp"

namespace ctxmgr {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ContextUtilizationMetadata sample_metadata() {
  ContextUtilizationMetadata metadata;
  metadata.model_name = "gpt-4o";
  metadata.messages_limit = 8'000;
  metadata.input_tokens_used = 4'000;
  metadata.tokens_exact = metadata.framing_exact = true;
  metadata.messages_included = 3;
  metadata.messages_excluded = 2;
  metadata.artifacts_total = 2;
  metadata.artifacts_transformed = 1;
  metadata.artifacts_excluded = 1;
  ArtifactUsageRecord record;
  record.artifact_id = "step_0_tool_0_search";
  record.strategy = ProcessingStrategy::rag_extract;
  record.original_tokens = 12'400;
  record.processed_tokens = 800;
  record.reason = "answers the question";
  metadata.artifacts_processed.push_back(record);
  record.artifact_id = "doc_old.md";
  record.strategy = ProcessingStrategy::exclude;
  record.processed_tokens = 0;
  record.reason = "about something else";
  metadata.artifacts_processed.push_back(record);
  metadata.plan_source = PlanSource::deterministic;
  metadata.plan_reason = "no client";
  metadata.notes = {"unknown model: window of 128000 assumed"};
  return metadata;
}

TEST(ExplainTest, SaysWhichPartOfTheCountIsAnEstimate) {
  auto metadata = sample_metadata();
  metadata.framing_exact = false;
  EXPECT_THAT(explain(metadata), HasSubstr("(50.0 %, text counted exactly, framing estimated)"));
  metadata.tokens_exact = false;
  EXPECT_THAT(explain(metadata), HasSubstr("(50.0 %, estimated)"));
}

TEST(ExplainTest, ShowsFiguresPlanAndEveryArtifactWithItsReason) {
  const std::string text = explain(sample_metadata());
  EXPECT_THAT(text, HasSubstr("gpt-4o: 4 000 of 8 000 tokens (50.0 %, counted exactly)"));
  EXPECT_THAT(text, HasSubstr("messages: 3 sent, 2 left out"));
  EXPECT_THAT(text, HasSubstr("Plan: deterministic (no client)"));
  EXPECT_THAT(text, HasSubstr("step_0_tool_0_search  extract  12 400   800  answers the question"));
  EXPECT_THAT(text, HasSubstr("Note: unknown model"));
  EXPECT_LT(text.find("Note: unknown model"), text.find("Plan: ")) << "beside the budget that it explains";
  EXPECT_LT(text.find("step_0_tool_0_search"), text.find("Left out"));
  EXPECT_GT(text.find("doc_old.md"), text.find("Left out"));
}

TEST(ExplainTest, CodesAreSaidInWords) {
  auto metadata = sample_metadata();
  metadata.plan_reason = "llm_forbidden";
  metadata.artifacts_processed[1].processed_tokens = 12;
  EXPECT_THAT(explain(metadata), HasSubstr("Plan: deterministic (no model may plan)"));
  EXPECT_THAT(explain(metadata), HasSubstr("doc_old.md  one line  12 400"));
}

TEST(ExplainTest, ACostIsShownWhereThereIsAPrice) {
  ContextUtilizationMetadata metadata = sample_metadata();
  metadata.include_all_tokens = 16'000;
  EXPECT_THAT(explain(metadata), HasSubstr("Everything in full: 16 000 tokens\n"));
  metadata.include_all_cost_usd = 0.04;
  EXPECT_THAT(explain(metadata), HasSubstr("Everything in full: 16 000 tokens, $0.040000\n"));
}

TEST(ExplainTest, NamesFromOutsideCannotMoveTheCursorOrBreakTheTable) {
  ContextUtilizationMetadata metadata = sample_metadata();
  metadata.artifacts_processed[0].artifact_id = "evil\n\x1b[2Jname\xE2\x80\xAE\xFF";
  const std::string text = explain(metadata);
  EXPECT_THAT(text, HasSubstr("evil??[2Jname?\xEF\xBF\xBD"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_TRUE(utf8::is_valid(text));
}

TEST(ExplainTest, AnEmptyReceiptIsStillReadable) {
  EXPECT_THAT(explain({}), HasSubstr("model not named: 0 of 0 tokens (0.0 %, estimated)"));
}

}  // namespace
}  // namespace ctxmgr
