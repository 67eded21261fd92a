#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FunctionArchive final : public ArtifactArchive {
 public:
  using Keep = std::function<Result<std::string>(const Artifact&)>;
  explicit FunctionArchive(Keep keep) : keep_(std::move(keep)) {}
  std::string reference_of(const Artifact& artifact) const override { return keep_(artifact).value_or(""); }
  Result<std::string> keep(const Artifact& artifact, const CallOptions&) override { return keep_(artifact); }

 private:
  Keep keep_;
};

std::vector<std::string> broken_by(FunctionArchive::Keep keep) {
  FunctionArchive archive(std::move(keep));
  return check_artifact_archive(archive);
}

TEST(ConformanceArtifactArchiveThreadsTest, FindsNothingWrongWithAnHonestArchive) {
  EXPECT_THAT(broken_by([](const Artifact& artifact) -> Result<std::string> {
                return "read " + std::to_string(std::hash<std::string>{}(artifact.content));
              }),
              IsEmpty());
}

TEST(ConformanceArtifactArchiveTest, FindsReferencesByIdAlone) {
  EXPECT_THAT(broken_by([](const Artifact& artifact) -> Result<std::string> { return artifact.artifact_id; }),
              Contains(HasSubstr("other content under the same id")));
}

TEST(ConformanceArtifactArchiveTest, FindsReferencesThatChange) {
  std::atomic<int> calls = 0;
  EXPECT_THAT(broken_by([&](const Artifact&) -> Result<std::string> { return std::to_string(++calls); }),
              Contains(HasSubstr("same content gives another reference")));
}

TEST(ConformanceArtifactArchiveTest, FindsReferencesThatQuoteTheContent) {
  EXPECT_THAT(broken_by([](const Artifact& artifact) -> Result<std::string> { return "read " + artifact.content; }),
              Contains(HasSubstr("quotes the content")));
}

TEST(ConformanceArtifactArchiveTest, FindsContentThatIsRefused) {
  EXPECT_THAT(broken_by([](const Artifact& artifact) -> Result<std::string> {
                if (artifact.content.empty()) return fail(ErrorCode::invalid_argument, "empty");
                return "read " + std::to_string(std::hash<std::string>{}(artifact.content));
              }),
              Contains(HasSubstr("empty content")));
}

class ForgetfulArchive final : public ArtifactArchive {
 public:
  std::string reference_of(const Artifact& artifact) const override { return artifact.artifact_id; }
  Result<std::string> keep(const Artifact& artifact, const CallOptions&) override {
    return "read " + std::to_string(std::hash<std::string>{}(artifact.content));
  }
};

TEST(ConformanceArtifactArchiveTest, FindsThatWhatIsStoredIsReadInAnotherWayThanItSaid) {
  ForgetfulArchive archive;
  EXPECT_THAT(check_artifact_archive(archive), Contains("keep gives another reference than reference_of"));
}

/// Honest one by one, but not with several.
class CarelessArchive final : public ArtifactArchive {
 public:
  explicit CarelessArchive(std::size_t most) : most_(most) {}
  std::string reference_of(const Artifact& artifact) const override {
    return "read " + std::to_string(std::hash<std::string>{}(artifact.content));
  }
  Result<std::string> keep(const Artifact& artifact, const CallOptions&) override { return reference_of(artifact); }
  std::vector<Result<std::string>> keep_all(const std::vector<const Artifact*>& artifacts,
                                            const CallOptions& call) override {
    std::vector<Result<std::string>> references(std::min(most_, artifacts.size()));
    for (auto& reference : references) reference = keep(*artifacts.front(), call);
    return references;
  }

 private:
  std::size_t most_;
};

TEST(ConformanceArtifactArchiveTest, FindsBatchesThatAreNotWhatTheirPartsAre) {
  CarelessArchive short_one(2);
  EXPECT_THAT(check_artifact_archive(short_one), Contains(HasSubstr("one result for each")));
  CarelessArchive mixed_up(3);
  EXPECT_THAT(check_artifact_archive(mixed_up), Contains(HasSubstr("another reference than keep")));
}

TEST(ConformanceArtifactArchiveTest, FindsAnException) {
  EXPECT_THAT(broken_by([](const Artifact&) -> Result<std::string> { throw std::runtime_error("no"); }),
              Contains("keep threw an exception"));
}

}  // namespace
}  // namespace ctxmgr::testing
