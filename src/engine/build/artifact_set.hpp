#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/build/gather.hpp"
#include "engine/index/fingerprint.hpp"
#include "engine/index/text_index.hpp"
#include "ports/deadline.hpp"

namespace ctxmgr::engine {

/// Tokens, sizes and search index of a list of artifacts, found once for each, and how an archive's copies are read. It grows
/// where the list does, and is made anew where the list changed. Thread-safety: none; a build has it to itself.
class ArtifactSet {
 public:
  /// Makes it the set of these items; `chain` is `fingerprints(items)`. What there is no time to read is not in the index,
  /// and its tokens are estimated.
  void update(const std::vector<Item>& items, const std::vector<Fingerprint>& chain, const TokenCounter& counter,
              Pace& pace);

  [[nodiscard]] std::size_t size() const { return chain_.size(); }
  [[nodiscard]] const std::vector<Fingerprint>& chain() const { return chain_; }
  [[nodiscard]] std::int64_t tokens(std::size_t item) const { return tokens_[item]; }
  [[nodiscard]] std::int64_t chars(std::size_t item) const { return chars_[item]; }
  [[nodiscard]] const TextIndex& index() const { return index_; }
  /// How many of the items were read, counted from the first.
  [[nodiscard]] std::size_t read() const { return read_; }
  [[nodiscard]] std::size_t bytes() const;

  /// The turn that a block is made for: its query and artifacts.
  [[nodiscard]] Fingerprint turn(std::string_view query, ContextGoal goal) const;

  /// How to read an item that this archive was given by an earlier build; empty where it was not.
  [[nodiscard]] std::string reference(std::size_t item, const std::shared_ptr<ArtifactArchive>& archive) const;

  /// Only references into one archive are kept, the last that was named.
  void set_reference(std::size_t item, const std::shared_ptr<ArtifactArchive>& archive, std::string reference);

 private:
  [[nodiscard]] bool is_of(const std::shared_ptr<ArtifactArchive>& archive) const;

  std::vector<Fingerprint> chain_;
  std::vector<std::int64_t> tokens_;
  std::vector<std::int64_t> chars_;
  TextIndex index_;
  std::size_t read_ = 0;
  std::weak_ptr<ArtifactArchive> archive_;
  std::vector<std::string> references_;  ///< References into `archive_`, of the first items.
};

}  // namespace ctxmgr::engine
