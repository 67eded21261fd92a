#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/wire.hpp"

/// \file
/// Anthropic's Messages: `ctxmgr/wire.hpp` has the door, here are its shorter names for them.
///
///     auto fitted = ctxmgr::build_anthropic(manager, body);
///     if (fitted) post(fitted->body);
namespace ctxmgr {

/// Reads a request, or a bare array of its messages; `attachments` and `steps` as in `ctxmgr/wire.hpp`. Each result of a
/// tool becomes a message of its own. Errors as of `from_json()` and `attachments_to_artifacts()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> parse_anthropic_request(std::string_view json,
                                                                     const AttachmentSource& source = {},
                                                                     const CallOptions& call = {});

/// Whether a request is one of Anthropic's Messages: it has the field `system`, or blocks that no other service has (calls, results,
/// thoughts, media with a source). One with a tool's `input_schema`, or to a model "claude…" with `max_tokens`, is one too, unless its
/// messages have roles or calls of chat requests.
[[nodiscard]] CTXMGR_API bool is_anthropic_request(std::string_view json);

/// The request as it was, with other messages and without `attachments` and `steps`: messages that are in it unchanged
/// stand as they stood. A bare array becomes another one, which has no place for instructions. Errors as of
/// `parse_anthropic_request()` and `to_anthropic_json()`.
[[nodiscard]] CTXMGR_API Result<std::string> with_anthropic_messages(std::string_view request_json,
                                                                     const std::vector<ConversationMessage>& messages);

/// `build_wire()` of one of Messages, with the receipt as text.
[[nodiscard]] CTXMGR_API Result<WireBuild> build_anthropic(const ContextManager& manager, std::string_view body,
                                                           BuildRequest options = {},
                                                           const AttachmentSource& source = {},
                                                           const CallOptions& call = {},
                                                           CacheControl cache_control = CacheControl::keep);

/// `read_wire()` of one of Messages.
[[nodiscard]] CTXMGR_API Result<WireRequest> anthropic_build_request(std::string_view body, BuildRequest options = {},
                                                                     const AttachmentSource& source = {},
                                                                     const CallOptions& call = {});

/// `plan_wire()` of one of Messages.
[[nodiscard]] CTXMGR_API Result<PlanPreview> plan_anthropic(const ContextManager& manager, std::string_view body,
                                                            BuildRequest options = {},
                                                            const AttachmentSource& source = {},
                                                            const CallOptions& call = {});

}  // namespace ctxmgr
