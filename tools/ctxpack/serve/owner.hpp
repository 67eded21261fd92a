#pragma once
#include <string>

#include "http/request_head.hpp"

namespace ctxpack::serve {

/// Whose a request is: a keyed hash of the credential that it brings for the service, 24 digits; empty where it brings none.
/// The credential itself is kept nowhere, and without the secret nobody finds out which one it was.
[[nodiscard]] std::string owner_of(const http::RequestHead& head, const std::string& secret);

/// 256 random bits, as 64 digits.
[[nodiscard]] std::string random_digits();

}  // namespace ctxpack::serve
