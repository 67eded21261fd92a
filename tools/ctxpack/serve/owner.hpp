#pragma once
#include <string>

#include "ctxmgr/adapters/http_relay.hpp"

namespace ctxpack::serve {

/// Whose a request is: a keyed hash of the credential that it brings for the service, and of the user that a trusted front
/// names, 24 digits; empty where it brings neither. The credential itself is kept nowhere, and without the secret nobody finds
/// out which one it was. `headers`: those that go to the service, names in lower case.
[[nodiscard]] std::string owner_of(const ctxmgr::HttpHeaders& headers, const std::string& user,
                                   const std::string& secret);

/// 256 random bits, as 64 digits.
[[nodiscard]] std::string random_digits();

}  // namespace ctxpack::serve
