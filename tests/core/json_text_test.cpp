#include "ctxmgr/core/json_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

template <class Value>
class JsonTextTest : public testing::Test {};

using Types =
    testing::Types<Artifact, ArtifactPlan, ArtifactUsageRecord, ContextUtilizationMetadata, ResponseMetadata,
                   ConversationMessage, ReasoningStepRecord, ReasoningEvent, RequestAttachment, ToolDefinition>;
TYPED_TEST_SUITE(JsonTextTest, Types);

TYPED_TEST(JsonTextTest, ADefaultValueComesBackTheSame) {
  const std::string text = to_json(TypeParam{});
  EXPECT_EQ(to_json(from_json<TypeParam>(text).value()), text);
  EXPECT_EQ(to_json(from_json<std::vector<TypeParam>>("[" + text + "]").value()), "[" + text + "]");
}

TYPED_TEST(JsonTextTest, EveryPrefixAndEveryWrongShapeIsATypedError) {
  const std::string text = to_json(std::vector<TypeParam>(2));
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const auto parsed = from_json<std::vector<TypeParam>>(text.substr(0, cut));
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid_argument);
  }
  for (const char* wrong : {"null", "true", "7", "\"x\"", "[]", "[[]]", "", "\xFF", "{\"a\":1,\"a\":2}"}) {
    EXPECT_FALSE(from_json<TypeParam>(wrong)) << wrong;
  }
}

TYPED_TEST(JsonTextTest, ReplacingAnyValueByAnotherTypeNeverBreaksTheReader) {
  const std::string text = to_json(TypeParam{});
  for (const char* odd :
       {"null", "-1", "1e300", "123456789012345678901234567890", "\"\"", "[]", "{}", "true", "[null]"}) {
    for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
      const std::size_t end = text.find_first_of(",}", colon);
      const auto parsed = from_json<TypeParam>(text.substr(0, colon + 1) + odd + text.substr(end));
      EXPECT_TRUE(!parsed || from_json<TypeParam>(to_json(*parsed)));
    }
  }
}

Artifact sample_artifact() {
  Artifact artifact;
  artifact.artifact_id = "a";
  artifact.artifact_type = ArtifactType::tool_result;
  artifact.content = "text";
  artifact.content_format = ContentFormat::log;
  artifact.source = "step_0:f";
  artifact.timestamp = Timestamp(std::chrono::milliseconds(1'795'167'000'123));
  artifact.metadata = {{"title", "T"}};
  artifact.trust = Trust::trusted;
  return artifact;
}

TEST(JsonTextFormTest, FormsAreStable) {
  EXPECT_EQ(
      to_json(sample_artifact()),
      R"({"artifact_id":"a","artifact_type":"tool_result","content":"text","content_format":"log",)"
      R"("source":"step_0:f","timestamp":"2026-11-20T09:30:00.123Z","metadata":{"title":"T"},"trust":"trusted"})");
  EXPECT_EQ(to_json(ArtifactPlan{{{"a", ProcessingStrategy::summarize, 2, "r", "f", "q", 300}}, "why"}),
            R"({"artifacts":[{"artifact_id":"a","strategy":"summarize","priority":2,"relevance_rationale":"r",)"
            R"("summarization_focus":"f","extraction_query":"q","target_tokens":300}],"reasoning":"why"})");
}

TEST(JsonTextFormTest, StructuredContentBecomesItsJsonText) {
  const auto artifact =
      from_json<Artifact>(R"({"artifact_id":"a","content":{"rows":[1, 2]},"metadata":{"historical":true}})");
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->content, R"({"rows":[1,2]})");
  EXPECT_EQ(artifact->content_format, ContentFormat::json);
  EXPECT_EQ(artifact->metadata.at("historical"), "true");
}

TEST(JsonTextFormTest, ReceiptsCarryTheirTotals) {
  ContextUtilizationMetadata metadata;
  metadata.planning_usage.planner = {100, 0, 0, 20, 1};
  metadata.cache_stats = {1, 3};
  const std::string text = to_json(metadata);
  EXPECT_NE(text.find(R"("total_tokens":120)"), std::string::npos);
  EXPECT_NE(text.find(R"("hit_rate":0.25)"), std::string::npos);
}

TEST(JsonTextFormTest, InvalidBytesAndNotANumberNeverBreakTheText) {
  rc::check([](const std::string& bytes, const std::string& other) {
    Artifact artifact = sample_artifact();
    artifact.content = bytes;
    artifact.metadata = {{bytes, other}, {other, bytes}, {"\xFE", ""}, {"\xFF", ""}};
    const auto read = from_json<Artifact>(to_json(artifact));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->content == utf8::repair(bytes));
  });
  ResponseMetadata metadata;
  metadata.total_cost_usd = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(from_json<ResponseMetadata>(to_json(metadata)));
}

}  // namespace
}  // namespace ctxmgr
