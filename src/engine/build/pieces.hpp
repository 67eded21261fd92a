#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/retriever.hpp"

namespace ctxmgr::engine {

/// What a piece of an earlier message begins with: "[12]", and of a tool's result the call, which stands elsewhere:
/// "[12] read({"path": "a.py"})". Messages count from 1, or by their sequence numbers.
[[nodiscard]] std::string piece_header(const std::vector<ConversationMessage>& messages, std::size_t message);

/// Whether the message has nothing to say outside its place: calls alone.
[[nodiscard]] bool is_bare_call(const ConversationMessage& message);

/// Pieces of earlier messages in their order, `index` being the message: a line each, with its number where it does not
/// follow on the piece before.
[[nodiscard]] std::string render_pieces(const std::vector<ConversationMessage>& messages,
                                        const std::vector<SelectedText>& pieces);

}  // namespace ctxmgr::engine
