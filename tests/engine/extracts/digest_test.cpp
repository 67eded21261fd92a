#include <gtest/gtest.h>

#include <string>

#include "ctxmgr/engine/retriever.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;

Artifact artifact_with(std::string content, ArtifactType type = ArtifactType::document) {
  Artifact artifact;
  artifact.content = std::move(content);
  artifact.artifact_type = type;
  return artifact;
}

TEST(DigestTest, ShowsHeadAndTailOfText) {
  std::string text(300, 'a');
  text += "\nthe end";
  const std::string line = digest(artifact_with(text), 40);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("the end"), std::string::npos);
}

TEST(MaskTest, SaysWhatWasThereAndKeepsErrors) {
  Artifact artifact = artifact_with("building\nerror: no such file\ndone\n", ArtifactType::tool_result);
  artifact.metadata["tool_name"] = "make";
  EXPECT_EQ(mask(artifact, 12, "get(\"a1\")"),
            "[make result omitted: 3 lines, 12 tokens, 1 error line; get(\"a1\")]\nerror: no such file");
}

TEST(MaskTest, NamesTheArgumentsOfItsCallInShort) {
  Artifact artifact = artifact_with("x", ArtifactType::tool_result);
  artifact.metadata["tool_name"] = "read";
  artifact.metadata["tool_arguments"] = R"({"path":"src/late_fee.cpp","line":12})";
  EXPECT_EQ(mask(artifact, 1, ""), "[read(src/late_fee.cpp, 12) result omitted: 1 lines, 1 tokens]");
  artifact.metadata["tool_arguments"] = R"({"text":")" + std::string(4'000, 'x') + "\"}";
  EXPECT_LE(mask(artifact, 1, "").size(), 120U);
}

TEST(MaskTest, AnErrorThatIsNoneIsNoErrorLine) {
  const std::string report = "Command: ls\nOutput: a.txt\nError: (none)\nExit Code: 0\n";
  EXPECT_EQ(mask(artifact_with(report, ArtifactType::tool_result), 9, ""), "[tool result omitted: 4 lines, 9 tokens]");
  const std::string failed = "Command: ls /x\nError: no such directory\nExit Code: 2\n";
  EXPECT_EQ(mask(artifact_with(failed, ArtifactType::tool_result), 9, ""),
            "[tool result omitted: 3 lines, 9 tokens, 1 error line]\nError: no such directory");
}

TEST(MaskTest, AFileThatSpeaksOfErrorsHasNone) {
  std::string header = "#include <stddef.h>\n";
  for (int i = 0; i < 40; ++i)
    header += "/* An error is returned if it failed. */\n#define LIB_ERROR_" + std::to_string(i) + " " +
              std::to_string(i) + "\nint lib_error_" + std::to_string(i) + "(int error);\n";
  EXPECT_FALSE(contains(mask(artifact_with(header, ArtifactType::tool_result), 900, ""), "error"));
  const std::string prose = "The handbook tells of errors.\nAn error in it was found.\nEvery error was mended.\n";
  EXPECT_FALSE(contains(mask(artifact_with(prose, ArtifactType::tool_result), 900, ""), "error"));
}

TEST(MaskTest, ALogsErrorLinesAreCountedAsTheyAre) {
  std::string log;
  for (int i = 0; i < 20; ++i)
    log += "2026-11-22 10:00:" + std::to_string(10 + i) + (i % 10 == 3 ? " ERROR lost" : " INFO ok, 0 errors") + "\n";
  EXPECT_TRUE(
      contains(mask(artifact_with(log, ArtifactType::tool_result), 900, ""), ", 2 error lines]\n2026-11-22 10:00:13"));
}

TEST(MaskTest, PromisesNothingWithoutAHandle) {
  EXPECT_EQ(mask(artifact_with("x", ArtifactType::tool_result), 1, ""), "[tool result omitted: 1 lines, 1 tokens]");
}

}  // namespace
}  // namespace ctxmgr
