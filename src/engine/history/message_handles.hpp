#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"
#include "engine/history/kept_messages.hpp"

namespace ctxmgr::engine {

class ThreadAnalysis;
struct ThreadMemo;

/// Results and turns of fewer tokens have no handle of their own: once they are cut, they are kept with those around them.
inline constexpr std::int64_t least_handle_tokens = 200;

/// How messages that are not sent whole can be read. Stores nothing: what is shown is given to the archive once a build
/// knows what that is.
/// Thread-safety: none; a build has it to itself.
class MessageHandles {
 public:
  /// `archive` may be null: nothing has a handle then.
  MessageHandles(const std::shared_ptr<ArtifactArchive>& archive, const std::vector<ConversationMessage>& messages,
                 const ThreadAnalysis& thread, ThreadMemo& memo);

  [[nodiscard]] bool any() const { return archive_ != nullptr; }

  /// Empty where it has none.
  [[nodiscard]] std::string of(std::size_t message);

  /// Of an artifact that is made of messages; empty where it has none.
  [[nodiscard]] std::string of(const Artifact& artifact) const;

  /// Whether the message, once it is cut, is kept by itself.
  [[nodiscard]] bool is_large(std::size_t message) const;

  /// It could not be stored, and is promised no more.
  void lose(std::size_t message) { lost_.insert(message); }

  [[nodiscard]] KeptMessages& kept() const { return *kept_; }

 private:
  const std::shared_ptr<ArtifactArchive>& archive_;
  const std::vector<ConversationMessage>& messages_;
  const ThreadAnalysis& thread_;
  KeptMessages* kept_;
  std::set<std::size_t> lost_;
};

/// `reference_of` of an archive that may throw after all: empty then.
[[nodiscard]] std::string reference_in(const ArtifactArchive& archive, const Artifact& artifact);

}  // namespace ctxmgr::engine
