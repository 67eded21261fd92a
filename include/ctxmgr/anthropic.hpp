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
/// The text door for Anthropic's Messages, as `ctxmgr/openai.hpp` is for chat requests.
///
///     auto fitted = ctxmgr::build_anthropic(manager, body);
///     if (fitted) post(fitted->body);
namespace ctxmgr {

/// Reads a request, or a bare array of its messages; `attachments` and `steps` as in `ctxmgr/openai.hpp`. Each result of a
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

/// Where breakpoints of the provider's prompt cache go.
enum class CacheControl {
  keep,   ///< They stay where the request has them, and stand nowhere else.
  place,  ///< They also stand where the receipt's `cache_breakpoints` are, up to the four that the service takes in all.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(CacheControl value);

/// Fits a request, as `build_openai()` does, with the same errors. If a cut leaves the model's words in front, a user message
/// "Continue." is put before them, for which 8 tokens are kept.
[[nodiscard]] CTXMGR_API Result<WireBuild> build_anthropic(const ContextManager& manager, std::string_view body,
                                                           BuildRequest options = {},
                                                           const AttachmentSource& source = {},
                                                           const CallOptions& call = {},
                                                           CacheControl cache_control = CacheControl::keep);

/// Context and request that `build_anthropic()` gives the manager: for other calls, as `ContextManager::prepare_compaction()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> anthropic_build_request(std::string_view body, BuildRequest options = {},
                                                                     const AttachmentSource& source = {},
                                                                     const CallOptions& call = {});

/// The dry run of `build_anthropic()`, as `ContextManager::plan()` is one of `build()`.
[[nodiscard]] CTXMGR_API Result<PlanPreview> plan_anthropic(const ContextManager& manager, std::string_view body,
                                                            BuildRequest options = {},
                                                            const AttachmentSource& source = {},
                                                            const CallOptions& call = {});

}  // namespace ctxmgr
