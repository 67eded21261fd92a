#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/wire.hpp"

/// \file
/// OpenAI's Responses: `ctxmgr/wire.hpp` has the door, here are its shorter names for them.
namespace ctxmgr {

/// Reads a request; `attachments` and `steps` as in `ctxmgr/wire.hpp`. What stands in a response or a conversation that
/// the service keeps (`previous_response_id`, `conversation`) is not seen and not counted. Errors as of `from_json()` and
/// `attachments_to_artifacts()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> parse_responses_request(std::string_view json,
                                                                     const AttachmentSource& source = {},
                                                                     const CallOptions& call = {});

/// `build_wire()` of one of Responses, with the receipt as text.
[[nodiscard]] CTXMGR_API Result<WireBuild> build_responses(const ContextManager& manager, std::string_view body,
                                                           BuildRequest options = {},
                                                           const AttachmentSource& source = {},
                                                           const CallOptions& call = {});

/// `read_wire()` of one of Responses.
[[nodiscard]] CTXMGR_API Result<WireRequest> responses_build_request(std::string_view body, BuildRequest options = {},
                                                                     const AttachmentSource& source = {},
                                                                     const CallOptions& call = {});

/// `plan_wire()` of one of Responses.
[[nodiscard]] CTXMGR_API Result<PlanPreview> plan_responses(const ContextManager& manager, std::string_view body,
                                                            BuildRequest options = {},
                                                            const AttachmentSource& source = {},
                                                            const CallOptions& call = {});

}  // namespace ctxmgr
