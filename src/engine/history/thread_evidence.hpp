#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// No range of a state reaches further.
inline constexpr std::size_t longest_evidence_text = std::size_t{1} << 30;

/// As `compactions` says it: made by a compaction for what the user wants, and gone with the next.
inline constexpr std::size_t made_by_compaction = 2;

/// What made a result or a written text out of date.
struct NewerMessage {
  std::size_t message = 0;  ///< The call that changed the file, or the result of the call that was made again.
  bool changed = false;
};

/// The changes and calls among the newest 2 000 messages before an end. The messages outlive it; they are read once, when a mark is
/// asked for.
class NewerMessages {
 public:
  NewerMessages(const std::vector<ConversationMessage>& messages, std::size_t end);

  [[nodiscard]] std::size_t end() const { return end_; }

  /// The newest message that makes a tool's result, a command's output or a call that writes a file out of date. A change that
  /// failed counts for nothing.
  [[nodiscard]] std::optional<NewerMessage> than(std::size_t message);

 private:
  struct Change {
    std::size_t message = 0;
    std::size_t result = 0;
    std::vector<std::string> files{};
  };

  void read();
  void read_message(std::size_t i);
  [[nodiscard]] std::optional<NewerMessage> answered_again(std::size_t message) const;
  [[nodiscard]] std::optional<NewerMessage> changed_since(std::size_t message) const;

  const std::vector<ConversationMessage>& messages_;
  std::size_t end_;
  bool is_read_ = false;
  std::vector<Change> changes_{};                           ///< Ascending.
  std::unordered_map<std::string, std::size_t> answers_{};  ///< The newest of each call and of each command in a text.
};

/// What is said of a message beside its number when it is quoted.
struct QuoteMark {
  std::size_t times = 1;  ///< So many messages of its role have its text.
  std::optional<NewerMessage> newer{};
};

/// Of each of these messages, how many before `end` have its role and its text, and answer the same call. Pure.
[[nodiscard]] std::vector<std::size_t> times_said(const std::vector<ConversationMessage>& messages,
                                                  const std::vector<std::size_t>& quoted, std::size_t end);

/// Of each of these messages, by the messages before `end`.
[[nodiscard]] std::vector<QuoteMark> marks_of(const std::vector<ConversationMessage>& messages,
                                              const std::vector<std::size_t>& quoted, std::size_t end);

/// ", 24 times" and " (changed in [42])" or " (again in [42])"; empty where there is nothing to say.
[[nodiscard]] std::string written(const QuoteMark& mark, const std::vector<ConversationMessage>& messages);

/// What was chosen of one message: ranges of the text that it has in the index, ascending and apart from each other.
struct EvidencePiece {
  std::size_t message = 0;
  std::vector<TextSpan> ranges{};
  QuoteMark mark{};  ///< By the messages that were known when it was chosen, so that it stays the same.
};

/// What was found for a question in messages that are not shown. Made once, and sent where it was made.
struct ThreadEvidence {
  std::size_t question = 0;     ///< The evidence stands before this message.
  std::size_t compactions = 0;  ///< How many compactions came over it; from the first on it stands behind the notes.
  std::vector<EvidencePiece> pieces{};
};

/// How many ranges all of them have.
[[nodiscard]] std::size_t ranges_of(const std::vector<ThreadEvidence>& evidence);

/// The pieces as texts, with "…" where something is left out; `index` being the message. nullopt where a range is not in its
/// text, which no build writes.
[[nodiscard]] std::optional<std::vector<SelectedText>> texts_of(const ThreadEvidence& evidence,
                                                                const std::vector<ConversationMessage>& history);

}  // namespace ctxmgr::engine
