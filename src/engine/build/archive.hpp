#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"
#include "engine/build/fill.hpp"
#include "engine/build/verify.hpp"
#include "engine/history/message_handles.hpp"

namespace ctxmgr::engine {

/// Stage 7, and the only one that writes: once what is sent is certain, the archive of a build is given all that is not sent
/// whole, at once. Before that, the block's index asks it how each item will be read.
class ArchivedItems {
 public:
  /// What is stored is remembered in `artifacts`, the set that the input was prepared from.
  ArchivedItems(const FillInput& input, ArtifactSet& artifacts);

  /// Finds references of the items that are not whole in `filled`; stores nothing.
  void refer(const Filled& filled);

  /// Gives the archive what is not sent whole: items, the most relevant first, results that are shortened in place, messages
  /// that were cut. What an earlier build gave it is remembered and not given again, but for lines of the index: they were
  /// promised to the model, and what was stored may have been erased since. A dry run stores nothing. False where something
  /// could not be stored: `withdraw` then takes its reference out of what is sent.
  [[nodiscard]] bool keep(const Verified& verified);

  /// Takes references that were lost out of the block's index, the notes and what is shortened in place.
  void withdraw(Filled& filled) const;

  [[nodiscard]] const References& references() const { return references_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// One thing to store, and what it is: an item, a message or a stretch of messages.
  struct Wanted {
    Artifact artifact{};
    const Artifact* given = nullptr;  ///< The request's own artifact; null where it was made here.
    std::size_t item = nowhere;
    std::size_t message = nowhere;
    std::pair<std::size_t, std::size_t> stretch{};  ///< A range of messages that are stored together.
    std::string reference{};
  };

  void want_items(const Verified& verified, std::vector<Wanted>& wanted);
  void want_messages(const Filled& filled, std::vector<Wanted>& wanted);
  void want_message(std::size_t message, std::vector<Wanted>& wanted);
  /// Notes what became of one that was given to the archive. False where it could not be stored.
  bool is_kept(const Wanted& wanted, const Result<std::string>& result);

  FillInput input_;
  ArtifactSet& artifacts_;
  const std::shared_ptr<ArtifactArchive>& archive_;
  MessageHandles& handles_;
  References references_;
  std::vector<std::string> lost_;
  std::vector<std::string> notes_;
};

}  // namespace ctxmgr::engine
