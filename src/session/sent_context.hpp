#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/ports/conversation_store.hpp"

namespace ctxmgr::session {

/// What was sent, as references to rows where they were sent as they are, and as texts where not. Pure.
[[nodiscard]] std::vector<SentMessage> to_sent_messages(const std::vector<ConversationMessage>& sent,
                                                        const std::vector<ConversationMessage>& rows);

/// A receipt as JSON, of at most about 64 KiB: beyond that it goes without the records of what was left out, the smallest
/// first, and says so. Pure.
[[nodiscard]] std::string receipt_to_keep(const ContextUtilizationMetadata& receipt);

/// The reverse of `to_sent_messages()`: `to_openai_json()` of the result gives the bytes that it gave of what was sent.
[[nodiscard]] Result<std::vector<ConversationMessage>> from_sent_messages(const std::vector<SentMessage>& sent,
                                                                          ConversationStore& store,
                                                                          std::string_view conversation_id,
                                                                          const CallOptions& call);

}  // namespace ctxmgr::session
