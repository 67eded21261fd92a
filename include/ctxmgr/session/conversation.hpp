#pragma once
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr {

/// How a request relates to the stored messages.
enum class ConversationContext {
  stateless,         ///< Not at all: its messages are all there is.
  new_conversation,  ///< It begins one: its messages are all there is yet.
  continuing,        ///< It goes on with one: the stored messages come first.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(ConversationContext value);

/// The history of a request, each message with the reasoning steps behind it, so that a follow-up question can use the
/// tool results of earlier turns. A continuing conversation has the system messages of the request first (those that
/// are stored are left out). Then come the stored messages, without summaries, since what those stand for is there. The rest
/// of the request is last. Nothing is stored by this.
///
/// `invalid_argument` where a continuing conversation comes without a store, `not_found` where nothing is stored under
/// its id, `conflict` where something is under the id of a new one. Without a store, the latter is not asked.
[[nodiscard]] CTXMGR_API Result<std::vector<ConversationMessage>> build_llm_messages(
    const std::vector<ConversationMessage>& request_messages, ConversationContext mode, ConversationStore* store = {},
    std::string_view conversation_id = {}, const CallOptions& call = {});

/// A call that knows what was said before: the history, then the messages of the call.
[[nodiscard]] CTXMGR_API LlmRequest merge_conversation_history(const std::vector<ConversationMessage>& history,
                                                               LlmRequest request);

/// A whole conversation, or a range of it, read page by page. `limit` is the size of a page.
[[nodiscard]] CTXMGR_API Result<std::vector<ConversationMessage>> load_all(ConversationStore& store,
                                                                           std::string_view conversation_id,
                                                                           MessageQuery query = {},
                                                                           const CallOptions& call = {});

}  // namespace ctxmgr
