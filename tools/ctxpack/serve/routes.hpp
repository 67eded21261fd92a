#pragma once
#include <string_view>

namespace ctxpack::serve {

/// What is done with a request.
enum class Route {
  page,
  script,
  metrics,
  health,
  readiness,
  receipt,
  attachment,
  chat,
  messages,
  responses,
  forward,  ///< Sent on as it is.
  none,
};

/// By method and path. Every path of the service that is not the proxy's own is sent on; where `only_known` is set, those that
/// OpenAI's and Anthropic's interfaces document.
[[nodiscard]] Route route_of(std::string_view method, std::string_view path, bool only_known = false);

}  // namespace ctxpack::serve
