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
/// The text door: the JSON text of an OpenAI chat request in, and one that fits out.
///
///     ctxmgr::ContextManager manager;
///     auto fitted = ctxmgr::build_openai(manager, body);
///     if (fitted) post(fitted->body);
///
/// Besides the fields of a chat request (or a bare array of messages) it understands `attachments`
/// (`RequestAttachment`s), `steps` (`ReasoningStepRecord`s of the current turn), and `reasoning_events` and
/// `reasoning_steps` in messages. `docs/request.schema.json` describes all of it.
namespace ctxmgr {

/// Reads a request without building. Errors as of `from_json()` and `attachments_to_artifacts()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> parse_openai_request(std::string_view json,
                                                                  const AttachmentSource& source = {},
                                                                  const CallOptions& call = {});

/// The request as it was, with other messages and without `attachments` and `steps`. A bare array becomes another one.
[[nodiscard]] CTXMGR_API Result<std::string> with_messages(std::string_view request_json,
                                                           const std::vector<ConversationMessage>& messages);

/// Fits a request: reads `body`, builds, and writes the request to send. Model, tools and reply length come from `body`, the rest
/// from `options`. Errors as of `parse_openai_request()` and `build()`. `budget_exceeded`, too, if only instructions would fit.
[[nodiscard]] CTXMGR_API Result<WireBuild> build_openai(const ContextManager& manager, std::string_view body,
                                                        BuildRequest options = {}, const AttachmentSource& source = {},
                                                        const CallOptions& call = {});

/// Context and request that `build_openai()` gives the manager: for other calls, as `ContextManager::prepare_compaction()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> openai_build_request(std::string_view body, BuildRequest options = {},
                                                                  const AttachmentSource& source = {},
                                                                  const CallOptions& call = {});

/// The dry run of `build_openai()`, as `ContextManager::plan()` is one of `build()`.
[[nodiscard]] CTXMGR_API Result<PlanPreview> plan_openai(const ContextManager& manager, std::string_view body,
                                                         BuildRequest options = {}, const AttachmentSource& source = {},
                                                         const CallOptions& call = {});

}  // namespace ctxmgr
