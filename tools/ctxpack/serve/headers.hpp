#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/adapters/http_relay.hpp"

namespace ctxpack::serve {

/// What belongs to the connection with the client, or to the proxy itself, stays here, and so does what its header
/// `connection` names; all else goes on, the key too. Names in lower case.
[[nodiscard]] ctxmgr::HttpHeaders to_send_on(const ctxmgr::HttpHeaders& request);

/// The same of what the service says of its connection, and of headers that the proxy itself sets.
[[nodiscard]] ctxmgr::HttpHeaders to_send_back(const ctxmgr::HttpHeaders& answer);

/// The value under a name in any case; empty where there is none.
[[nodiscard]] std::string value_of(const ctxmgr::HttpHeaders& headers, std::string_view name);

}  // namespace ctxpack::serve
