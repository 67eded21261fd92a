#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "engine/build/layout.hpp"
#include "engine/history/cut_messages.hpp"
#include "engine/history/refetches.hpp"
#include "engine/index/fingerprint.hpp"
#include "engine/selection/corpus.hpp"

/// Which messages of a thread are searched for a question, how their texts are read, and how what was found is written.
namespace ctxmgr::engine {

/// Messages that compete: those before the cut, and results that are masked in the suffix. What is sent whole does not:
/// the question, pins, and of a thread that was compacted its task.
[[nodiscard]] std::vector<MessageRange> competing_messages(const LayoutInput& input, const Suffix& suffix,
                                                           const std::vector<TaskMessage>& task);

/// Reads them for the search; what there is no time for is out.
[[nodiscard]] std::vector<MessageRange> read_for_search(std::vector<MessageRange> ranges, const LayoutInput& input);

/// Messages in all of them.
[[nodiscard]] std::size_t count_of(const std::vector<MessageRange>& ranges);

/// Everything that a selection from these messages and the artifacts depends on, but for an embedder.
[[nodiscard]] Fingerprint evidence_key(const LayoutInput& input, const std::vector<MessageRange>& ranges,
                                       std::size_t seen, const SelectionRequest& request, const Refetches& refetches);

/// The message at a position among those of the ranges.
[[nodiscard]] std::size_t message_at(const std::vector<MessageRange>& ranges, std::size_t position);

/// Rendered messages and their headers, for as long as a selection reads them.
struct MessageTexts {
  std::map<std::size_t, std::string> texts;
  std::map<std::size_t, std::string> headers;
  std::map<std::size_t, ItemAnalysis> analyses;  ///< Of those that the index no longer keeps.
};

/// What a selection reads of the ranges; all arguments but the ranges outlive it. What a harness says again, as far as the
/// first `seen` messages show it, is never chosen.
[[nodiscard]] std::vector<IndexSlice> slices_of(const LayoutInput& input, const std::vector<MessageRange>& ranges,
                                                std::size_t seen, const Refetches& refetches, MessageTexts& texts);

/// Excerpts of what a layout does not show whole, within so many tokens: where a plan wants others than the layout's.
[[nodiscard]] std::vector<SelectedText> excerpts_for(const std::string& query, std::int64_t tokens,
                                                     const Layout& layout, const LayoutInput& input);

/// What a piece of an earlier message begins with: "[12]", and of a tool's result the call, which stands elsewhere:
/// "[12] read({"path": "a.py"})", with ", failed" where it says so. Messages count from 1, or by their sequence numbers.
[[nodiscard]] std::string piece_header(const std::vector<ConversationMessage>& messages, std::size_t message);

/// Whether the message has nothing to say outside its place: calls alone.
[[nodiscard]] bool is_bare_call(const ConversationMessage& message);

/// Pieces of earlier messages in their order, `index` being the message: a line each, with its number where it does not
/// follow on the piece before.
[[nodiscard]] std::string render_pieces(const std::vector<ConversationMessage>& messages,
                                        const std::vector<SelectedText>& pieces);

}  // namespace ctxmgr::engine
