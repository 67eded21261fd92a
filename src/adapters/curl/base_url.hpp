#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"

struct sockaddr;

namespace ctxmgr::http {

/// Where a client's requests go, and with them its key.
struct BaseUrl {
  std::string url{};  ///< Normalised, without a slash at the end.
  std::string host{};
  bool is_https = true;
  bool is_loopback = false;  ///< "localhost" or a literal loopback address. Names are not resolved here.
};

/// `invalid_argument` for what is not an absolute http or https URL, or has user information, a query or a fragment.
[[nodiscard]] Result<BaseUrl> parse_base_url(const std::string& url);

/// A name (RFC 9110 token) and a value that cannot end the header early: no CR, LF, NUL or other control character.
[[nodiscard]] bool is_valid_header(std::string_view name, std::string_view value);

/// Whether an address belongs to the public internet: not loopback, private, link-local (where clouds serve machine
/// credentials), shared, multicast or reserved, and no IPv6 form of such an IPv4 address.
[[nodiscard]] bool is_public_address(const sockaddr& address);

}  // namespace ctxmgr::http
