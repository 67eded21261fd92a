#include "ctxmgr/core/artifact.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

ReasoningStepRecord step_with(int index, std::vector<ToolResult> results) {
  ReasoningStepRecord step;
  step.step_index = index;
  step.tool_results = std::move(results);
  return step;
}

TEST(ArtifactTest, SizeIsInCodePoints) {
  Artifact artifact;
  artifact.content = "caf\xC3\xA9 \xF0\x9F\x98\x80";
  EXPECT_EQ(size_chars(artifact), 6U);
}

TEST(ArtifactTest, HashCoversFormatAndContentOnlyAndNeverChanges) {
  Artifact artifact;
  artifact.content = "abc";
  EXPECT_EQ(content_hash(artifact), "4eae5418058bad0800632717a019473eee20d74f3dc252c1fd0c560397ede977");
  Artifact other = artifact;
  other.artifact_id = "other";
  other.trust = Trust::trusted;
  EXPECT_EQ(content_hash(artifact), content_hash(other));
  other.content_format = ContentFormat::json;
  EXPECT_NE(content_hash(artifact), content_hash(other));
}

TEST(ArtifactTest, DocumentsTakeIdSourceAndFormatFromTheirName) {
  const Artifact document = make_document("report.md", "# Text");
  EXPECT_EQ(document.artifact_id, "doc_report.md");
  EXPECT_EQ(document.source, "document:report.md");
  EXPECT_EQ(document.metadata.at("title"), "report.md");
  EXPECT_EQ(document.content_format, ContentFormat::markdown);
  EXPECT_EQ(document.trust, Trust::untrusted);
  EXPECT_EQ(make_document("notes", "x").content_format, ContentFormat::automatic);
}

TEST(ArtifactTest, NamesThatDoNotFitAnIdStillTellDocumentsApart) {
  EXPECT_NE(make_document("a b", "").artifact_id, make_document("a_b", "").artifact_id);
  EXPECT_NE(make_document("\xE6\x8A\xA5.md", "").artifact_id, make_document("\xE5\x91\x8A.md", "").artifact_id);
}

TEST(ArtifactTest, EachToolResultOfAStepBecomesAnArtifact) {
  ReasoningStepRecord step = step_with(1, {{"web_scraper", true, "page", "", {}}, {"", true, "hits", "", {}}});
  step.tool_predictions = {{"web_scraper", R"({"url":"u"})", ""}, {"search", "", ""}};
  step.timestamp = Timestamp(std::chrono::seconds(5));
  const auto artifacts = extract_artifacts_from_steps({step});
  ASSERT_EQ(artifacts.size(), 2U);
  EXPECT_EQ(artifacts[0].artifact_id, "step_1_tool_0_web_scraper");
  EXPECT_EQ(artifacts[0].source, "step_1:web_scraper");
  EXPECT_EQ(artifacts[0].content, "page");
  EXPECT_EQ(artifacts[0].timestamp, step.timestamp);
  EXPECT_EQ(artifacts[0].metadata.at("tool_arguments"), R"({"url":"u"})");
  EXPECT_EQ(artifacts[0].metadata.count("historical"), 0U);
  EXPECT_EQ(artifacts[1].artifact_id, "step_1_tool_1_search");
  EXPECT_EQ(artifacts[1].trust, Trust::untrusted);
}

TEST(ArtifactTest, FailedResultsCarryTheirError) {
  const auto artifacts = extract_artifacts_from_steps({step_with(
      0, {{"f", false, "", "timeout", {}}, {"f", false, "partial", "broke", {}}, {"f", false, "", "", {}}})});
  EXPECT_EQ(artifacts[0].content, "timeout");
  EXPECT_EQ(artifacts[0].metadata.at("failed"), "true");
  EXPECT_EQ(artifacts[1].content, "broke\npartial");
  EXPECT_FALSE(artifacts[2].content.empty());
}

TEST(ArtifactTest, AnErrorOfTheRunIsAnArtifactWithoutACall) {
  const auto parsed = parse_reasoning_events_to_steps(
      {{ReasoningEventType::planning, 1, R"({"tool_predictions":[{"tool_name":"search","arguments":{"q":1}}]})", ""},
       {ReasoningEventType::error, 1, "{}", "connection refused"}});
  const auto artifacts = extract_artifacts_from_steps(parsed);
  ASSERT_EQ(artifacts.size(), 1U);
  EXPECT_EQ(artifacts[0].source, "step_0:error");
  EXPECT_EQ(artifacts[0].content, "connection refused");
  EXPECT_EQ(artifacts[0].metadata.at("failed"), "true");
  EXPECT_EQ(artifacts[0].metadata.count("tool_arguments"), 0U);
}

TEST(ArtifactTest, HistoricalArtifactsAreNamedAfterTheirMessage) {
  ConversationMessage message{Role::assistant, "found"};
  message.reasoning_steps = {step_with(0, {{"web_search", true, "hits", "", {}}})};
  message.sequence_number = 3;
  message.created_at = Timestamp(std::chrono::seconds(9));
  ConversationMessage unnumbered = message;
  unnumbered.sequence_number.reset();
  const auto artifacts = extract_artifacts_from_messages({unnumbered, {Role::user, "q"}, message});
  ASSERT_EQ(artifacts.size(), 2U);
  EXPECT_EQ(artifacts[0].artifact_id, "msg_0_step_0_tool_0_web_search");
  EXPECT_EQ(artifacts[1].artifact_id, "msg_3_step_0_tool_0_web_search");
  EXPECT_EQ(artifacts[1].source, "history:msg_3:web_search");
  EXPECT_EQ(artifacts[1].metadata.at("historical"), "true");
  EXPECT_EQ(artifacts[1].timestamp, message.created_at);
  EXPECT_EQ(extract_artifacts_from_messages({message, {Role::user, "q"}}, 1).size(), 0U);
  EXPECT_EQ(extract_artifacts_from_messages({message, {Role::user, "q"}}, 2).size(), 1U);
}

void check_ids(const std::vector<Artifact>& artifacts) {
  std::set<std::string> ids;
  for (const Artifact& artifact : artifacts) {
    RC_ASSERT(ids.insert(artifact.artifact_id).second);
    RC_ASSERT(utf8::count_code_points(artifact.artifact_id) == artifact.artifact_id.size());
    RC_ASSERT(utf8::is_valid(artifact.content) && utf8::is_valid(artifact.source));
  }
}

TEST(ArtifactTest, IdsAreUniqueAsciiAndDeterministicWhateverTheNames) {
  rc::check([](const std::vector<std::string>& names) {
    std::vector<ReasoningStepRecord> steps;
    for (const std::string& name : names) {
      ToolResult result;
      result.tool_name = result.result = result.error = name;
      result.success = *rc::gen::arbitrary<bool>();
      steps.push_back(step_with(*rc::gen::inRange(-1, 2), std::vector<ToolResult>(2, result)));
    }
    ConversationMessage message{Role::assistant, ""};
    message.reasoning_steps = steps;
    message.sequence_number = *rc::gen::inRange(0, 2);
    const auto current = extract_artifacts_from_steps(steps);
    check_ids(current);
    check_ids(extract_artifacts_from_messages({message, message}));
    const auto again = extract_artifacts_from_steps(steps);
    RC_ASSERT(again.size() == 2 * names.size());
    for (std::size_t i = 0; i < again.size(); ++i) RC_ASSERT(again[i].artifact_id == current[i].artifact_id);
  });
}

}  // namespace
}  // namespace ctxmgr
