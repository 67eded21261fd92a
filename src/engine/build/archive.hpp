#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"
#include "engine/build/fill.hpp"

namespace ctxmgr::engine {

/// The only stage that writes: gives the archive of a build what is not sent whole, and knows how to read it.
class ArchivedItems {
 public:
  explicit ArchivedItems(const FillInput& input);

  /// Gives it the items that are not whole in `filled`, all at once and the most relevant first. What an earlier build
  /// gave it is remembered, not given again.
  void archive_left_out(const Filled& filled);

  /// Gives it what is in the index once more, for that was promised to the model, and what an earlier build stored may have
  /// been erased since. A line whose reference is lost goes.
  void confirm(std::vector<IndexLine>& index);

  [[nodiscard]] const References& references() const { return references_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void ask(const std::vector<std::size_t>& items);

  const FillInput& input_;
  const std::shared_ptr<ArtifactArchive>& archive_;
  References references_;
  std::vector<bool> asked_;  // in this build
  std::vector<std::string> notes_;
};

}  // namespace ctxmgr::engine
