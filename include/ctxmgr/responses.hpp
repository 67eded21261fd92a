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

/// \file
/// The text door for OpenAI's Responses, as `ctxmgr/openai.hpp` is for chat requests.
namespace ctxmgr {

/// A request of OpenAI's Responses as the engine takes it.
struct ResponsesRequest {
  Context context{};
  BuildRequest request{};  ///< Model, tools and `max_output_tokens` of the request; the rest as by default.
};

/// Reads a request; `attachments` and `steps` as in `ctxmgr/openai.hpp`. What stands in a response or a conversation that
/// the service keeps (`previous_response_id`, `conversation`) is not seen and not counted. Errors as of `from_json()` and
/// `attachments_to_artifacts()`.
[[nodiscard]] CTXMGR_API Result<ResponsesRequest> parse_responses_request(std::string_view json,
                                                                          const AttachmentSource& source = {},
                                                                          const CallOptions& call = {});

/// The result of one build, as text.
struct ResponsesBuild {
  std::string body{};          ///< The request to send. Items that were not changed are as they came.
  std::string metadata{};      ///< The receipt as JSON.
  ThreadState thread_state{};  ///< Goes into `BuildRequest::thread_state` of the next build.
};

/// Reads, builds and writes: `options` with the request's model, tools and reply length in it.
[[nodiscard]] CTXMGR_API Result<ResponsesBuild> build_responses(const ContextManager& manager, std::string_view body,
                                                                BuildRequest options = {},
                                                                const AttachmentSource& source = {},
                                                                const CallOptions& call = {});

}  // namespace ctxmgr
