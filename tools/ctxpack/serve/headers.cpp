#include "serve/headers.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "http/request_head.hpp"

namespace ctxpack::serve {
namespace {

using http::lower_case;

template <std::size_t n>
bool is_one_of(const std::string& name, const std::array<std::string_view, n>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 10> of_the_connection = {
    "connection", "keep-alive",        "proxy-connection", "proxy-authenticate", "proxy-authorization", "te",
    "trailer",    "transfer-encoding", "upgrade",          "content-length"};

constexpr std::array<std::string_view, 9> of_the_client = {
    "host", "expect", "origin", "accept-encoding", "content-encoding", "cookie", "referer", "range", "forwarded"};

constexpr std::string_view our_own = "x-ctxmgr-";

/// What the headers `connection` name, in lower case.
std::vector<std::string> named_by_connection(const ctxmgr::HttpHeaders& headers) {
  std::vector<std::string> names;
  for (const auto& [name, value] : headers) {
    if (lower_case(name) != "connection") continue;
    std::string_view left = value;
    while (!left.empty()) {
      const auto end = left.find(',');
      const auto word = left.substr(0, end);
      left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
      const auto begin = word.find_first_not_of(" \t");
      if (begin == std::string_view::npos) continue;
      names.push_back(lower_case(word.substr(begin, word.find_last_not_of(" \t") - begin + 1)));
    }
  }
  return names;
}

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

ctxmgr::HttpHeaders to_send_on(const ctxmgr::HttpHeaders& request) {
  const auto named = named_by_connection(request);
  ctxmgr::HttpHeaders headers;
  for (const auto& [name, value] : request) {
    const auto lower = lower_case(name);
    if (is_one_of(lower, of_the_connection) || is_one_of(lower, of_the_client) || is_named(named, lower)) continue;
    if (lower.compare(0, our_own.size(), our_own) == 0) continue;
    headers.emplace_back(lower, value);
  }
  return headers;
}

ctxmgr::HttpHeaders to_send_back(const ctxmgr::HttpHeaders& answer) {
  const auto named = named_by_connection(answer);
  ctxmgr::HttpHeaders headers;
  for (const auto& [name, value] : answer) {
    const auto lower = lower_case(name);
    if (is_one_of(lower, of_the_connection) || is_named(named, lower)) continue;
    if (lower.compare(0, our_own.size(), our_own) != 0) headers.emplace_back(lower, value);
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
