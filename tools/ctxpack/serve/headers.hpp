#pragma once
#include <httplib.h>

#include "ctxmgr/adapters/http_relay.hpp"

namespace ctxpack::serve {

/// What belongs to the connection with the client, or to the proxy itself, stays here; all else goes on, the key too.
[[nodiscard]] ctxmgr::HttpHeaders to_send_on(const httplib::Headers& request);

/// What belongs to the connection with the service stays here.
[[nodiscard]] ctxmgr::HttpHeaders to_send_back(const ctxmgr::HttpHeaders& answer);

/// The value under a name in any case; empty where there is none.
[[nodiscard]] std::string value_of(const ctxmgr::HttpHeaders& headers, std::string_view name);

}  // namespace ctxpack::serve
