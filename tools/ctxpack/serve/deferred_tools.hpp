#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "serve/api.hpp"

/// \file
/// Tools whose definitions the service itself keeps back until the model asks for them (`defer_loading`, tool search). A build does not
/// count them.
namespace ctxpack::serve {

/// Whether a request brings some.
[[nodiscard]] bool has_deferred_tools(std::string_view request);

/// Where a request brings the service's own tool search and its other definitions take more than `most_tokens`, the request with those
/// marked as deferred, too: marked, the list keeps its bytes from turn to turn, which it would not if they were left out. Else
/// nothing.
[[nodiscard]] std::optional<std::string> defer_tools(Api api, std::string_view request, std::int64_t most_tokens);

}  // namespace ctxpack::serve
