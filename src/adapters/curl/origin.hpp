#pragma once
#include <optional>
#include <string>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/message_shape.hpp"
#include "ctxmgr/ports/llm_client.hpp"

/// \file
/// Fields and parts that one service sent (reasoning, annotations, signatures) are refused by another one. A reply that
/// has any says whose it is, under a key of `extra_json` that is never sent.
namespace ctxmgr::wire {

void set_origin(ConversationMessage& message, const std::string& host);

/// The request without what other services than this one sent; nothing where it holds no such thing.
[[nodiscard]] std::optional<LlmRequest> without_foreign_fields(const LlmRequest& request, const std::string& host);

/// The request as this service takes it; nothing where it is so already.
[[nodiscard]] std::optional<LlmRequest> fitted_request(const LlmRequest& request, const std::string& host,
                                                       const MessageShape& shape);

}  // namespace ctxmgr::wire
