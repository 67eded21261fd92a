#pragma once
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
/// OpenAI's chat requests: `ctxmgr/wire.hpp` has the door, here are its shorter names for them.
///
///     ctxmgr::ContextManager manager;
///     auto fitted = ctxmgr::build_openai(manager, body);
///     if (fitted) post(fitted->body);
namespace ctxmgr {

/// Reads a request without building. Errors as of `from_json()` and `attachments_to_artifacts()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> parse_openai_request(std::string_view json,
                                                                  const AttachmentSource& source = {},
                                                                  const CallOptions& call = {});

/// The request as it was, with other messages and without `attachments` and `steps`. A bare array becomes another one.
[[nodiscard]] CTXMGR_API Result<std::string> with_messages(std::string_view request_json,
                                                           const std::vector<ConversationMessage>& messages);

/// `build_wire()` of a chat request, with the receipt as text.
[[nodiscard]] CTXMGR_API Result<WireBuild> build_openai(const ContextManager& manager, std::string_view body,
                                                        BuildRequest options = {}, const AttachmentSource& source = {},
                                                        const CallOptions& call = {});

/// `read_wire()` of a chat request.
[[nodiscard]] CTXMGR_API Result<WireRequest> openai_build_request(std::string_view body, BuildRequest options = {},
                                                                  const AttachmentSource& source = {},
                                                                  const CallOptions& call = {});

/// `plan_wire()` of a chat request.
[[nodiscard]] CTXMGR_API Result<PlanPreview> plan_openai(const ContextManager& manager, std::string_view body,
                                                         BuildRequest options = {}, const AttachmentSource& source = {},
                                                         const CallOptions& call = {});

}  // namespace ctxmgr
