#include <gtest/gtest.h>

#include <string>

#include "ctxmgr/engine/retriever.hpp"

namespace ctxmgr {
namespace {

Artifact with(std::string content, ArtifactType type = ArtifactType::document) {
  Artifact artifact;
  artifact.content = std::move(content);
  artifact.artifact_type = type;
  return artifact;
}

TEST(DigestTest, NamesJsonKeysAndElements) {
  EXPECT_EQ(digest(with(R"([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])")),
            "JSON array, 2 elements; keys id, name");
  EXPECT_EQ(digest(with("[]")), "JSON array, 0 elements");
}

TEST(DigestTest, ListsHeadings) {
  EXPECT_EQ(digest(with("# Setup\n\nText.\n\n## Limits\n\nMore.\n")), "Setup / Limits");
}

TEST(DigestTest, ShowsHeadAndTailOfText) {
  std::string text(300, 'a');
  text += "\nthe end";
  const std::string line = digest(with(text), 40);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("the end"), std::string::npos);
}

TEST(MaskTest, SaysWhatWasThereAndKeepsErrors) {
  Artifact artifact = with("building\nerror: no such file\ndone\n", ArtifactType::tool_result);
  artifact.metadata["tool_name"] = "make";
  EXPECT_EQ(mask(artifact, 12, "get(\"a1\")"),
            "[make result omitted: 3 lines, 12 tokens, 1 error; get(\"a1\")]\nerror: no such file");
}

TEST(MaskTest, PromisesNothingWithoutAHandle) {
  EXPECT_EQ(mask(with("x", ArtifactType::tool_result), 1, ""), "[tool result omitted: 1 lines, 1 tokens]");
}

}  // namespace
}  // namespace ctxmgr
