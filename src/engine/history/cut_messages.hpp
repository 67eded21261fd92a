#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "engine/history/message_handles.hpp"
#include "engine/history/message_range.hpp"
#include "engine/history/thread_analysis.hpp"

/// Messages that were cut, as an archive keeps them: where one has to look for them does not depend on where the cut is now.
namespace ctxmgr::engine {

/// The messages before a cut in stretches of some thousand tokens, whole groups each. All but the last are the same for
/// every later cut.
[[nodiscard]] std::vector<MessageRange> stretches_before(std::size_t cut, const ThreadAnalysis& thread);

/// The messages before a cut, of which there is one at least, as one artifact without content, so that a plan can speak
/// of what does not fit of the history.
[[nodiscard]] Artifact older_messages(const std::vector<ConversationMessage>& history, std::size_t cut);

/// What a piece of an earlier message begins with: "[12]", and of a tool's result the call, which stands elsewhere:
/// "[12] read({"path": "a.py"})", with ", failed" where it says so. Messages count from 1, or by their sequence numbers.
/// With the day, where the message says when it was made: "[12, 2024-05-01]".
[[nodiscard]] std::string piece_header(const std::vector<ConversationMessage>& messages, std::size_t message);

/// A stretch as one text, a piece for each message under its header: number and call. What has a handle of its own is
/// not repeated: the handle stands for it.
[[nodiscard]] Artifact artifact_of_stretch(const std::vector<ConversationMessage>& messages, MessageRange stretch,
                                           MessageHandles& handles);

}  // namespace ctxmgr::engine
