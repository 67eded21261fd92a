#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "engine/build/layout_values.hpp"
#include "engine/history/cut_messages.hpp"
#include "engine/history/thread_evidence.hpp"
#include "engine/index/fingerprint.hpp"
#include "engine/selection/corpus.hpp"

/// Which messages of a thread are searched for a question, how their texts are read, and how what was found is written.
namespace ctxmgr::engine {

/// In a thread that goes on, pieces that speak less of the question than this part of the best are noise. Of 209 questions asked back
/// in six kinds of recorded runs at 8 000 tokens, not in other words, 96 % are answered, by double of it 92 % for 2 to 5 % less.
inline constexpr double least_of_best = 0.25;

/// Less room than this is not worth a block.
inline constexpr std::int64_t least_block_tokens = 48;

/// Messages that compete: those before the cut. What is sent whole does not: the question, pins, and of a thread that was compacted
/// its task.
[[nodiscard]] std::vector<MessageRange> competing_messages(const LayoutInput& input, const Suffix& suffix,
                                                           const std::vector<TaskMessage>& task);

/// Reads them for the search; what there is no time for is out.
[[nodiscard]] std::vector<MessageRange> read_for_search(std::vector<MessageRange> ranges, const LayoutInput& input);

/// Messages in all of them.
[[nodiscard]] std::size_t count_of(const std::vector<MessageRange>& ranges);

/// Everything that a selection from these messages and the artifacts depends on, but for an embedder.
[[nodiscard]] Fingerprint selection_key(const LayoutInput& input, const std::vector<MessageRange>& ranges,
                                        std::size_t seen, const SelectionRequest& request);

/// The message at a position among those of the ranges.
[[nodiscard]] std::size_t message_at(const std::vector<MessageRange>& ranges, std::size_t position);

/// Rendered messages and their headers, for as long as a selection reads them.
struct MessageTexts {
  std::map<std::size_t, MessageText> texts;
  std::map<std::size_t, std::string> headers;
  std::optional<NewerMessages> newer;            ///< Of the messages that mark headers.
  std::map<std::size_t, ItemAnalysis> analyses;  ///< Analyses of messages that the index no longer keeps.
};

/// What a selection reads of the ranges; all arguments but the ranges outlive it. What a harness says again, as far as the
/// first `seen` messages show it, is never chosen.
[[nodiscard]] std::vector<IndexSlice> slices_of(const LayoutInput& input, const std::vector<MessageRange>& ranges,
                                                std::size_t seen, MessageTexts& texts);

/// Pieces of earlier messages in their order, `index` being the message: a line each, with its number where it does not
/// follow on the piece before, with its day where the message has one, and with a mark for each piece.
[[nodiscard]] std::string render_pieces(const std::vector<ConversationMessage>& messages,
                                        const std::vector<SelectedText>& pieces, const std::vector<QuoteMark>& marks);

/// With the marks that all messages give them.
[[nodiscard]] std::string render_pieces(const std::vector<ConversationMessage>& messages,
                                        const std::vector<SelectedText>& pieces);

/// What is looked through for a question of a thread that goes on.
struct ThreadSearch {
  std::string query{};                   ///< What is asked.
  std::string shown_task{};              ///< What of a task is shown anyway: pieces that restate it answer nothing.
  std::size_t question = 0;              ///< The message that asks it last.
  std::size_t hinted_by = 0;             ///< Messages before this one say what it refers to.
  std::size_t compactions = 0;           ///< As `ThreadEvidence` has them.
  std::size_t end = 0;                   ///< Only messages before this one are looked through.
  std::size_t cut = 0;                   ///< Messages before this one are cut, and are looked through.
  std::vector<std::size_t> extracts{};   ///< Messages that are not sent whole, which are looked through too.
  std::vector<std::size_t> shown{};      ///< Messages that are sent all the same, and are not looked through.
  std::vector<ThreadEvidence> former{};  ///< Evidence that stands already, and is not found again.
  std::int64_t tokens = 0;               ///< What all of the evidence may take, with its frame.
  std::size_t most_ranges = 0;
};

/// What answers the question in messages that are not shown; nullopt where nothing does. Pieces under a quarter of the best are left
/// out.
[[nodiscard]] std::optional<ThreadEvidence> find_in_thread(const LayoutInput& input, const ThreadSearch& search);

/// As it is sent; nullopt where the messages do not have such ranges.
[[nodiscard]] std::optional<ShownEvidence> show_evidence(const LayoutInput& input, const ThreadEvidence& made);

}  // namespace ctxmgr::engine
