#include "serve/access.hpp"

namespace ctxpack::serve {
namespace {

/// In a time that does not tell how much of it was right.
bool is_same(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(expected[i % expected.size()]);
  return difference == 0;
}

/// The password of "Basic dXNlcjpwYXNzd29yZA=="; empty where it is none.
std::string password_of(std::string_view authorization) {
  constexpr std::string_view basic = "Basic ";
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (authorization.substr(0, basic.size()) != basic) return {};
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
  const auto colon = text.find(':');
  return colon == std::string::npos ? std::string() : text.substr(colon + 1);
}

std::string_view without_port(std::string_view host) {
  if (!host.empty() && host.front() == '[') return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

std::string_view host_of_origin(std::string_view origin) {
  const auto scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

}  // namespace

bool is_loopback(std::string_view host) {
  const auto name = without_port(host);
  if (name == "localhost" || name == "[::1]") return true;
  return name.substr(0, 4) == "127." && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool Access::admits(const Caller& caller) const {
  if (!token_.empty()) return is_same(caller.token, token_) || is_same(password_of(caller.authorization), token_);
  const bool is_local_page = caller.origin.empty() || is_loopback(host_of_origin(caller.origin));
  return is_loopback(caller.host) && is_local_page && caller.site != "cross-site";
}

}  // namespace ctxpack::serve
