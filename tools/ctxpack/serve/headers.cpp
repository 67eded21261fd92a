#include "serve/headers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ctxpack::serve {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

template <std::size_t n>
bool is_one_of(const std::string& name, const std::array<std::string_view, n>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 10> of_the_connection = {
    "connection", "keep-alive",        "proxy-connection", "proxy-authenticate", "proxy-authorization", "te",
    "trailer",    "transfer-encoding", "upgrade",          "content-length"};

// The first four are written by cpp-httplib.
constexpr std::array<std::string_view, 12> of_the_client = {
    "remote_addr", "remote_port",     "local_addr",       "local_port", "host",    "expect",
    "origin",      "accept-encoding", "content-encoding", "cookie",     "referer", "range"};

constexpr std::string_view our_own = "x-ctxmgr-";

}  // namespace

ctxmgr::HttpHeaders to_send_on(const httplib::Headers& request) {
  ctxmgr::HttpHeaders headers;
  for (const auto& [name, value] : request) {
    const auto lower = lower_case(name);
    if (is_one_of(lower, of_the_connection) || is_one_of(lower, of_the_client)) continue;
    if (lower.compare(0, our_own.size(), our_own) == 0) continue;
    headers.emplace_back(lower, value);
  }
  return headers;
}

ctxmgr::HttpHeaders to_send_back(const ctxmgr::HttpHeaders& answer) {
  ctxmgr::HttpHeaders headers;
  for (const auto& [name, value] : answer) {
    const auto lower = lower_case(name);
    if (!is_one_of(lower, of_the_connection) && lower != "content-type") headers.emplace_back(lower, value);
  }
  return headers;
}

std::string value_of(const ctxmgr::HttpHeaders& headers, std::string_view name) {
  for (const auto& [candidate, value] : headers) {
    if (lower_case(candidate) == name) return value;
  }
  return {};
}

}  // namespace ctxpack::serve
