#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "serve/api.hpp"

/// \file
/// Tools whose definitions the service itself keeps back until the model asks for them (`defer_loading`, tool search).
namespace ctxpack::serve {

struct DeferredTools {
  std::string rest{};            ///< The request without them: what the model reads, and so what counts.
  nlohmann::ordered_json all{};  ///< All tools of the request, in their order.

  /// A request that was made from `rest`, with all tools where they stood, and those behind them that were added.
  [[nodiscard]] std::string put_back(const std::string& request) const;
};

/// Takes them out of a request. Where it brings the service's own tool search and the other definitions take more than
/// `most_tokens`, those are marked as deferred, too: marked, the list keeps its bytes from turn to turn, which it would not if
/// they were left out. Nothing where the service defers nothing.
[[nodiscard]] std::optional<DeferredTools> take_deferred_tools(Api api, const std::string& request,
                                                               std::optional<std::int64_t> most_tokens);

}  // namespace ctxpack::serve
