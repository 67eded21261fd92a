#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "engine/history/quote_mark.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// No range of a state reaches further.
inline constexpr std::size_t longest_evidence_text = std::size_t{1} << 30;

/// As `compactions` says it: made by a compaction for what the user wants, and gone with the next.
inline constexpr std::size_t made_by_compaction = 2;

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
