#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/utf8.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

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

TEST(JsonArtifactTest, FormsAreStable) {
  EXPECT_EQ(
      to_json(sample_artifact()),
      R"({"artifact_id":"a","artifact_type":"tool_result","content":"text","content_format":"log",)"
      R"("size_chars":4,"source":"step_0:f","timestamp":"2026-11-20T09:30:00.123Z","metadata":{"title":"T"},"trust":"trusted"})");
  EXPECT_EQ(to_json(ArtifactPlan{{{"a", ProcessingStrategy::summarize, 2, "r", "f", "q", 300}}, "why"}),
            R"({"artifacts":[{"artifact_id":"a","strategy":"summarize","priority":2,"relevance_rationale":"r",)"
            R"("summarization_focus":"f","extraction_query":"q","target_tokens":300}],"reasoning":"why"})");
}

TEST(JsonArtifactTest, StructuredContentBecomesItsJsonText) {
  const auto artifact =
      from_json<Artifact>(R"({"artifact_id":"a","content":{"rows":[1, 2]},"metadata":{"historical":true}})");
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->content, R"({"rows":[1,2]})");
  EXPECT_EQ(artifact->content_format, ContentFormat::json);
  EXPECT_EQ(artifact->metadata.at("historical"), "true");
}

TEST(JsonArtifactTest, InvalidBytesNeverBreakTheText) {
  rc::check([](const std::string& bytes, const std::string& other) {
    Artifact artifact = sample_artifact();
    artifact.content = bytes;
    artifact.metadata = {{bytes, other}, {other, bytes}, {"\xFE", ""}, {"\xFF", ""}};
    const auto read = from_json<Artifact>(to_json(artifact));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->content == utf8::repair(bytes));
  });
}

TEST(JsonArtifactTest, AttachmentsTakeTextOrStructuredContent) {
  const auto attachments = from_json<std::vector<RequestAttachment>>(R"([{"attachment_id":"a"},{"content":[1,2]}])");
  ASSERT_TRUE(attachments);
  EXPECT_EQ((*attachments)[0].attachment_id, "a");
  EXPECT_EQ((*attachments)[0].attachment_type, "document");
  EXPECT_EQ((*attachments)[1].content, "[1,2]");
}

TEST(JsonArtifactTest, DecisionsOfAPlanNeedIdAndStrategy) {
  const auto error = [](const char* json) { return from_json<ArtifactPlan>(json).error().message; };
  EXPECT_EQ(error(R"({"artifacts":[{"strategy":"exclude"}]})"),
            "/artifacts/0/artifact_id: expected a string, found null or nothing");
  EXPECT_EQ(error(R"({"artifacts":[{"artifact_id":"a","strategy":"delete"}]})"),
            "/artifacts/0/strategy: expected one of include_full summarize rag_extract exclude");
  EXPECT_EQ(error(R"({"artifacts":[{"artifact_id":"a","strategy":"exclude","priority":1e99}]})"),
            "/artifacts/0/priority: expected an integer of at most 64 bits");
}

}  // namespace
}  // namespace ctxmgr
