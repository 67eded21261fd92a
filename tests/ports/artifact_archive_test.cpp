#include "ctxmgr/ports/artifact_archive.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

class NamingArchive final : public ArtifactArchive {
 public:
  std::string reference_of(const Artifact& artifact) const override { return "read " + artifact.artifact_id; }
  Result<std::string> keep(const Artifact& artifact, const CallOptions&) override {
    if (artifact.content.empty()) return fail(ErrorCode::invalid_argument, "empty");
    return reference_of(artifact);
  }
};

TEST(ArtifactArchiveTest, SeveralAreKeptOneByOneUnlessItIsOverridden) {
  NamingArchive archive;
  const auto first = make_document("a", "text");
  const auto empty = make_document("b", "");
  const auto last = make_document("c", "text");
  const auto references = archive.keep_all({&first, &empty, &last}, {});
  ASSERT_EQ(references.size(), 3u);
  EXPECT_EQ(references[0].value(), "read doc_a");
  EXPECT_EQ(references[1].error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(references[2].value(), "read doc_c");
}

}  // namespace
}  // namespace ctxmgr
