#include "serve/access.hpp"

#include "http/request_head.hpp"

namespace ctxpack::serve {
namespace {

/// In a time that does not tell how much of it was right.
bool is_same(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(expected[i % expected.size()]);
  return difference == 0;
}

/// "user:password" of "Basic dXNlcjpwYXNzd29yZA=="; empty where it is none.
std::string basic_of(std::string_view authorization) {
  constexpr std::string_view basic = "basic ";
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (http::lower_case(authorization.substr(0, basic.size())) != basic) return {};
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const char c : authorization.substr(basic.size())) {
    const auto digit = digits.find(c);
    if (digit == std::string_view::npos) break;
    bits = (bits << 6U) | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    text += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
  }
  return text;
}

std::string_view password_of(std::string_view user_and_password) {
  const auto colon = user_and_password.find(':');
  return colon == std::string_view::npos ? std::string_view() : user_and_password.substr(colon + 1);
}

std::string_view without_port(std::string_view host) {
  if (!host.empty() && host.front() == '[') return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

std::string_view host_of_origin(std::string_view origin) {
  const auto scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

/// A browser says so; where it does not, the site of its page is the one that it asks.
bool is_same_site(const Access::Caller& caller) {
  if (!caller.site.empty()) return caller.site == "same-origin" || caller.site == "none";
  return caller.origin.empty() || http::lower_case(host_of_origin(caller.origin)) == http::lower_case(caller.host);
}

}  // namespace

bool is_loopback(std::string_view host) {
  const auto name = without_port(host);
  if (name == "localhost" || name == "[::1]") return true;
  return name.substr(0, 4) == "127." && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool Access::admits(const Caller& caller) const {
  if (!token_.empty()) {
    const auto basic = basic_of(caller.authorization);
    return is_same_site(caller) && (is_same(caller.token, token_) || is_same(password_of(basic), token_));
  }
  const bool is_local_page = caller.origin.empty() || is_loopback(host_of_origin(caller.origin));
  return is_loopback(caller.host) && is_local_page && caller.site != "cross-site";
}

bool Access::is_token(std::string_view value) const {
  if (token_.empty()) return false;
  const auto basic = basic_of(value);
  const std::string_view user = std::string_view(basic).substr(0, basic.find(':'));
  const auto space = value.find(' ');
  const auto behind_scheme = space == std::string_view::npos ? std::string_view() : value.substr(space + 1);
  return is_same(value, token_) || is_same(behind_scheme, token_) || is_same(user, token_) ||
         is_same(password_of(basic), token_);
}

}  // namespace ctxpack::serve
