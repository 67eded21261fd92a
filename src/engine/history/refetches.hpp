#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "engine/history/message_handles.hpp"
#include "engine/index/call_subject.hpp"

namespace ctxmgr::engine {

/// What a model lately fetched again, by the handle of what was left out or by a call that it had made before: such things left
/// too early. Each speaks for its source (what the call was about; a document) and a little for its kind (the tool; the type
/// of artifact), half as much fifty messages later, for two hundred at most.
struct Refetches {
  std::map<Term, double> sources{};           ///< 0 to 1, by the subject of a call.
  std::map<Term, double> kinds{};             ///< 0 to 1, by tool or type.
  std::map<std::size_t, double> messages{};   ///< Of those without a call, 0 to 1.
  std::map<std::size_t, double> artifacts{};  ///< By position, 0 to 1.

  [[nodiscard]] bool any() const { return !kinds.empty() || !messages.empty(); }

  /// What the relevance of something is multiplied by: from 1 to 1.35.
  [[nodiscard]] static double prior(double source, double kind);
  [[nodiscard]] double of_source(Term subject) const;
  [[nodiscard]] double of_kind(Term kind) const;
  [[nodiscard]] double of_message(std::size_t message, const CallSubject& call) const;
  /// The same, where no index knows the call.
  [[nodiscard]] double of_message(std::size_t message, const std::vector<ConversationMessage>& history) const;
  [[nodiscard]] double of_artifact(std::size_t artifact, const CallSubject& call) const;
};

/// The kind of an artifact that no call brought.
[[nodiscard]] Term kind_of(const Artifact& artifact);

/// What the messages before `end` say of it. `artifacts`: what may have been read back besides them; any may be null, as may
/// `handles` and `archive`. Pure but for the handles that it makes where something was read back.
[[nodiscard]] Refetches find_refetches(const std::vector<ConversationMessage>& messages, std::size_t end,
                                       const std::vector<const Artifact*>& artifacts, MessageHandles* handles,
                                       const ArtifactArchive* archive);

}  // namespace ctxmgr::engine
