#include <algorithm>
#include <string_view>

#include "ctxmgr/testing/conformance.hpp"
#include "testing/promises.hpp"

namespace ctxmgr::testing {
namespace {

// Marks content, so that it is recognised where it must not be.
constexpr std::string_view mark = "heliotrope-4711";

Artifact document(std::string id, std::string content) {
  Artifact artifact;
  artifact.artifact_id = std::move(id);
  artifact.content = std::move(content);
  return artifact;
}

/// How to read what was kept; empty where keeping failed.
std::string keep(Promises& promises, ArtifactArchive& archive, const Artifact& artifact, std::string_view what) {
  const auto expected = archive.reference_of(artifact);
  auto reference = archive.keep(artifact, {});
  if (reference) {
    promises.expect(*reference == expected, "keep gives another reference than reference_of");
    return *std::move(reference);
  }
  promises.expect(false, "keep fails for " + std::string(what) + ": " + std::string(to_string(reference.error().code)));
  return {};
}

void check_references(Promises& promises, ArtifactArchive& archive) {
  const auto artifact = document("report", "The code word is " + std::string(mark) + ".");
  const auto first = keep(promises, archive, artifact, "a plain artifact");
  const auto again = keep(promises, archive, artifact, "an artifact kept before");
  const auto other = keep(promises, archive, document("report", "Other content, same id."), "a second artifact");
  if (first.empty() || again.empty() || other.empty()) return promises.expect(false, "a reference is empty");
  promises.expect(first == again, "the same content gives another reference");
  promises.expect(first != other, "other content under the same id gives the same reference");
  promises.expect(first.find(mark) == std::string::npos, "a reference quotes the content");
  promises.expect(first.find('\n') == std::string::npos, "a reference is longer than one line");
}

void check_contents(Promises& promises, ArtifactArchive& archive) {
  keep(promises, archive, document("empty", ""), "empty content");
  const std::string_view bytes("a\0b\r\n東京 🐴", 16);
  keep(promises, archive, document("bytes", std::string(bytes)), "control characters and other scripts");
  keep(promises, archive, document("large", std::string(1 << 20, 'x')), "a megabyte");
}

void check_batches(Promises& promises, ArtifactArchive& archive) {
  const auto first = document("first", "The first of several.");
  const auto second = document("second", "The second of several.");
  const auto references = archive.keep_all({&first, &second, &first}, {});
  if (references.size() != 3) return promises.expect(false, "keep_all gives not one result for each artifact");
  const auto alone = {keep(promises, archive, first, "one of several"), keep(promises, archive, second, "another")};
  for (std::size_t i = 0; i < 3; ++i) {
    promises.expect(references[i] && *references[i] == *(alone.begin() + i % 2),
                    "keep_all gives another reference than keep, or none");
  }
  promises.expect(archive.keep_all({}, {}).empty(), "keep_all of nothing gives something");
}

void check_archive_threads(Promises& promises, ArtifactArchive& archive) {
  std::vector<std::string> references(Promises::thread_count);
  promises.check_in_threads("keep from several threads", [&](Promises& own, std::size_t i) {
    references[i] = keep(own, archive, document("shared", "the same for all"), "several threads");
  });
  const bool same =
      std::all_of(references.begin(), references.end(), [&](const auto& one) { return one == references[0]; });
  promises.expect(same, "threads get different references to the same");
}

}  // namespace

std::vector<std::string> check_artifact_archive(ArtifactArchive& archive) {
  Promises promises;
  promises.check("keep", [&] { check_references(promises, archive); });
  promises.check("keep of unusual content", [&] { check_contents(promises, archive); });
  promises.check("keep_all", [&] { check_batches(promises, archive); });
  promises.check("keep from several threads", [&] { check_archive_threads(promises, archive); });
  return promises.take_broken();
}

}  // namespace ctxmgr::testing
