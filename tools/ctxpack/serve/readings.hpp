#pragma once
#include <string>
#include <vector>

#include "serve/api.hpp"
#include "serve/own_tools.hpp"

/// \file
/// What a model read with the proxy's tools. The agent does not know of it and does not send it; here it is put back where it
/// was read, before the answer that it led to, so that the model does not read it again and the prompt cache holds.
namespace ctxpack::serve {

/// A request with what was read in its conversation; `kept` as `with_reading()` made it. What was read in another
/// conversation, or before a message that has changed since, stays out.
[[nodiscard]] std::string with_readings(Api api, const std::string& request, const std::string& kept);

/// What was kept, and this: what was read before the answer to `request`. The oldest goes where it is over 256 KiB.
[[nodiscard]] std::string with_reading(Api api, const std::string& request, const std::vector<Round>& rounds,
                                       const std::string& kept);

}  // namespace ctxpack::serve
