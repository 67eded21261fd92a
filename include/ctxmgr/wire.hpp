#pragma once
#include <string>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/engine/build_request.hpp"

/// \file
/// The arguments and results of the text doors: `ctxmgr/openai.hpp`, `ctxmgr/anthropic.hpp`, `ctxmgr/responses.hpp`.
namespace ctxmgr {

/// A service's request as the engine takes it.
struct WireRequest {
  Context context{};
  BuildRequest request{};  ///< Model, tools and the length reserved for the reply; the rest as by default.
};

/// The result of one build, as text.
struct WireBuild {
  std::string body{};          ///< The request to send. Unchanged parts are as they came.
  std::string metadata{};      ///< The receipt as JSON.
  ThreadState thread_state{};  ///< Goes into `BuildRequest::thread_state` of the next build.
};

}  // namespace ctxmgr
