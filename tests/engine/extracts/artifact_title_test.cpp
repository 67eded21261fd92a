#include "engine/extracts/artifact_title.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

Artifact result(const std::string& content) {
  Artifact artifact;
  artifact.artifact_id = "msg_3";
  artifact.artifact_type = ArtifactType::tool_result;
  artifact.source = "history:msg_3:weather";
  artifact.metadata = {{"tool_name", "weather"}, {"tool_arguments", R"({"city":"Oslo"})"}};
  artifact.content = content;
  return artifact;
}

TEST(ArtifactTitleTest, AResultIsCalledByItsCall) {
  EXPECT_EQ(title_of(result("12 degrees")), "weather(Oslo)");
  EXPECT_EQ(provenance_of(result("12 degrees")), "weather(Oslo)");
}

TEST(ArtifactTitleTest, ACallThatFailedSaysSo) {
  EXPECT_EQ(title_of(result("Error: no such city")), "weather(Oslo), failed");
  EXPECT_EQ(title_of(result("Error: (none)")), "weather(Oslo)");
}

TEST(ArtifactTitleTest, LongArgumentsAreCut) { EXPECT_LE(short_call("write", std::string(5'000, 'x')).size(), 165U); }

TEST(ArtifactTitleTest, ADocumentHasItsTitleOrItsSource) {
  auto document = make_document("notes.md", "text");
  EXPECT_EQ(title_of(document), "notes.md");
  EXPECT_EQ(provenance_of(document), "document:notes.md");
  document.metadata["title"] = "Meeting notes";
  EXPECT_EQ(title_of(document), "Meeting notes");
  document.metadata.clear();
  document.source.clear();
  EXPECT_EQ(title_of(document), document.artifact_id);
  EXPECT_EQ(provenance_of(document), "") << "ids do not leave";
}

}  // namespace
}  // namespace ctxmgr::engine
