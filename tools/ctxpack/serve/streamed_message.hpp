#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

#include "serve/api.hpp"

namespace ctxpack::serve {

/// The message that a stream of events makes up, as the service would have sent it in one piece, with what a model's turn needs
/// to be sent back: text, reasoning, calls. Null where the events are not those of the service, or of several answers.
[[nodiscard]] nlohmann::ordered_json streamed_message(Api api, std::string_view events);

}  // namespace ctxpack::serve
