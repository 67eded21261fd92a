#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// A tool message as it may be sent: with less content than it has.
struct ShortenedMessage {
  ConversationMessage message{};
  std::int64_t tokens = 0;
  std::string reference{};  ///< How to read the whole; empty where it was not archived.
  bool shorter = false;     ///< False: shortening does not pay, and this is the message itself.
};

/// The calls and tool results of a conversation, shortened in place. What a view looks like depends on the message, on the history
/// before it and on its target alone, never on the present question: so it keeps its bytes when the thread goes on.
/// Thread-safety: none; a build has it to itself.
class ToolResultViews {
 public:
  ToolResultViews(const std::vector<ConversationMessage>& messages, const ThreadAnalysis& thread,
                  const Retriever& retriever, const TokenCounter& counter, ArtifactArchive* archive, CallOptions call);

  /// Of a result, one line that says what was there, its error lines, and what it had that is no text; of a call, itself
  /// without the long texts of its arguments. The message itself where that would not be shorter by half and by 100 tokens.
  const ShortenedMessage& masked(std::size_t message);

  /// The passages that matter to the turn that asked for it, in about `target` tokens; its images, if they fit.
  const ShortenedMessage& extracted(std::size_t message, std::int64_t target);

 private:
  /// The message itself where its view counts no less.
  ShortenedMessage if_shorter(std::size_t message, ConversationMessage view, std::string reference) const;
  ShortenedMessage with_short_arguments(std::size_t message) const;
  ShortenedMessage without_images(std::size_t message) const;
  bool is_worth_it(const ShortenedMessage& shortened, std::size_t message) const;
  std::string question_of(std::size_t message) const;

  const std::vector<ConversationMessage>& messages_;
  const ThreadAnalysis& thread_;
  const Retriever& retriever_;
  const TokenCounter& counter_;
  ArtifactArchive* archive_;
  CallOptions call_;
  std::map<std::size_t, ShortenedMessage> masked_;
  std::map<std::pair<std::size_t, std::int64_t>, ShortenedMessage> extracted_;
};

/// `keep_all` of an archive that may throw or miscount after all.
[[nodiscard]] std::vector<Result<std::string>> keep_all_in(ArtifactArchive& archive,
                                                           const std::vector<const Artifact*>& artifacts,
                                                           const CallOptions& call);

/// Stores the whole and returns how to read it; empty where there is no archive, or where it fails or throws.
[[nodiscard]] std::string keep_in(ArtifactArchive* archive, const Artifact& artifact, const CallOptions& call);

}  // namespace ctxmgr::engine
