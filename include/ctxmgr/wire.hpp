#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_manager.hpp"

/// \file
/// The text door: the JSON text of a service's request in, and one that fits out.
///
///     ctxmgr::ContextManager manager;
///     auto fitted = ctxmgr::build_wire(manager, ctxmgr::WireForm::openai, body);
///     if (fitted) post(fitted->body);
///
/// Besides the fields of the service's request it understands `attachments` (`RequestAttachment`s), `steps`
/// (`ReasoningStepRecord`s of the current turn), and `reasoning_events` and `reasoning_steps` in messages.
/// `docs/request.schema.json` describes all of it. `ctxmgr/openai.hpp`, `ctxmgr/anthropic.hpp` and `ctxmgr/responses.hpp` have
/// more for one form each.
namespace ctxmgr {

/// Whose request a text is.
enum class WireForm {
  openai,     ///< A chat request, or a bare array of its messages.
  anthropic,  ///< One of Anthropic's Messages, or a bare array of its messages.
  responses,  ///< One of OpenAI's Responses.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(WireForm value);

/// Where breakpoints of the provider's prompt cache go.
enum class CacheControl {
  keep,   ///< They stay where the request has them, and stand nowhere else.
  place,  ///< They also stand where the receipt's `cache_breakpoints` are, up to the four that the service takes in all.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(CacheControl value);

/// The wishes for one build of a request as text.
struct WireOptions {
  BuildRequest request{};          ///< Model, tools and reply length as the text has them, the rest from here.
  AttachmentSource attachments{};  ///< Where the text's `attachments` are found by id.
  CacheControl cache_control = CacheControl::keep;  ///< Only Anthropic's Messages have breakpoints.
};

/// The result of one build, with the request as text.
struct BuiltWire {
  std::string body{};                     ///< The request to send. Unchanged parts are as they came.
  ContextUtilizationMetadata metadata{};  ///< The receipt.
  ThreadState thread_state{};             ///< Goes into `BuildRequest::thread_state` of the next build.
};

/// A service's request as the engine takes it.
struct WireRequest {
  Context context{};
  BuildRequest request{};  ///< Model, tools and the length reserved for the reply; the rest as by default.
};

/// The result of one build as text: `BuiltWire` with the receipt as JSON.
struct WireBuild {
  std::string body{};          ///< The request to send. Unchanged parts are as they came.
  std::string metadata{};      ///< The receipt as JSON.
  ThreadState thread_state{};  ///< Goes into `BuildRequest::thread_state` of the next build.
};

/// Fits a request: reads `body`, builds, and writes the request to send. Errors as of `read_wire()` and
/// `ContextManager::build()`. `budget_exceeded` also if only instructions would fit. If a cut leaves words of the model in front of a
/// request to Anthropic, a user message "Continue." is put before them. Each such request keeps 8 tokens free for it.
[[nodiscard]] CTXMGR_API Result<BuiltWire> build_wire(const ContextManager& manager, WireForm form,
                                                      std::string_view body, WireOptions options = {},
                                                      const CallOptions& call = {});

/// The dry run of `build_wire()`, as `ContextManager::plan()` is one of `build()`.
[[nodiscard]] CTXMGR_API Result<PlanPreview> plan_wire(const ContextManager& manager, WireForm form,
                                                       std::string_view body, WireOptions options = {},
                                                       const CallOptions& call = {});

/// Context and request that `build_wire()` gives the manager: for other calls, as `ContextManager::prepare_compaction()`.
/// `invalid_argument` names what is wrong with the text and its place. Else errors as of `attachments_to_artifacts()`.
[[nodiscard]] CTXMGR_API Result<WireRequest> read_wire(WireForm form, std::string_view body, WireOptions options = {},
                                                       const CallOptions& call = {});

}  // namespace ctxmgr
