#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/wire.hpp"

namespace ctxpack::serve {

/// Whose form a request has, and so the errors that answer it.
using Api = ctxmgr::WireForm;

/// `/v1/messages` and what is below it are Anthropic's; so is a request that names its version in a header.
[[nodiscard]] Api api_of(std::string_view path, bool has_anthropic_version);

/// What a client of that service would have been answered.
[[nodiscard]] int status_of(const ctxmgr::Error& error);
[[nodiscard]] std::string error_body(Api api, const ctxmgr::Error& error);

}  // namespace ctxpack::serve
