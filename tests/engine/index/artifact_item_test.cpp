#include "engine/index/artifact_item.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(ArtifactItemTest, ASourceStandsInForAMissingTitle) {
  Artifact artifact;
  artifact.source = "attachment:report.pdf";
  EXPECT_EQ(ArtifactItem(artifact).text().title, "attachment:report.pdf");
  artifact.metadata["title"] = "Annual report";
  EXPECT_EQ(ArtifactItem(artifact).text().title, "Annual report");
}

TEST(ArtifactItemTest, MetadataThatIsNotThereIsEmpty) {
  Artifact artifact;
  EXPECT_EQ(metadata_of(artifact, "title"), "");
  artifact.metadata["title"] = "Annual report";
  EXPECT_EQ(metadata_of(artifact, "title"), "Annual report");
}

TEST(ArtifactItemTest, ACallIsTheToolWithItsArguments) {
  Artifact artifact;
  artifact.artifact_type = ArtifactType::tool_result;
  EXPECT_EQ(ArtifactItem(artifact).text().call, "");
  artifact.metadata["tool_name"] = "search";
  artifact.metadata["tool_arguments"] = R"({"q":"x"})";
  EXPECT_EQ(ArtifactItem(artifact).text().call, R"(search({"q":"x"}))");
  EXPECT_EQ(ArtifactItem(artifact).text().speaker, Speaker::tool);
}

TEST(ArtifactItemTest, TheLanguageIsChosenByMetadataOrDetected) {
  Artifact artifact;
  EXPECT_EQ(ArtifactItem(artifact).text().language, std::nullopt);
  artifact.metadata["language"] = "fr";
  EXPECT_EQ(ArtifactItem(artifact).text().language, Language::french);
}

TEST(ArtifactItemTest, OnlyTurnsHaveALabel) {
  Artifact artifact;
  artifact.content = "Project Manager: we begin.";
  artifact.artifact_type = ArtifactType::document;
  EXPECT_EQ(ArtifactItem(artifact).text().label_bytes, 0U);
  artifact.artifact_type = ArtifactType::conversation;
  EXPECT_EQ(ArtifactItem(artifact).text().label_bytes, 17U);
}

TEST(ArtifactItemTest, ATurnIsSpokenByItsRole) {
  Artifact artifact;
  artifact.artifact_type = ArtifactType::conversation;
  EXPECT_EQ(ArtifactItem(artifact).text().speaker, Speaker::user);
  artifact.metadata["role"] = "assistant";
  EXPECT_EQ(ArtifactItem(artifact).text().speaker, Speaker::assistant);
  artifact.metadata["role"] = "tool";
  EXPECT_EQ(ArtifactItem(artifact).text().speaker, Speaker::tool);
}

}  // namespace
}  // namespace ctxmgr::engine
