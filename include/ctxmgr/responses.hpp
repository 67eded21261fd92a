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
/// The text door for OpenAI's Responses, as `ctxmgr/openai.hpp` is for chat requests.
namespace ctxmgr {

/// Reads a request; `attachments` and `steps` as in `ctxmgr/openai.hpp`. What stands in a response or a conversation that
/// the service keeps (`previous_response_id`, `conversation`) is not seen and not counted. Errors as of `from_json()` and
/// `attachments_to_artifacts()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> parse_responses_request(std::string_view json,
                                                                     const AttachmentSource& source = {},
                                                                     const CallOptions& call = {});

/// Fits a request, as `build_openai()` does, with the same errors.
[[nodiscard]] CTXMGR_API Result<WireBuild> build_responses(const ContextManager& manager, std::string_view body,
                                                           BuildRequest options = {},
                                                           const AttachmentSource& source = {},
                                                           const CallOptions& call = {});

/// Context and request that `build_responses()` gives the manager: for other calls, as `ContextManager::prepare_compaction()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> responses_build_request(std::string_view body, BuildRequest options = {},
                                                                     const AttachmentSource& source = {},
                                                                     const CallOptions& call = {});

/// The dry run of `build_responses()`, as `ContextManager::plan()` is one of `build()`.
[[nodiscard]] CTXMGR_API Result<PlanPreview> plan_responses(const ContextManager& manager, std::string_view body,
                                                            BuildRequest options = {},
                                                            const AttachmentSource& source = {},
                                                            const CallOptions& call = {});

}  // namespace ctxmgr
