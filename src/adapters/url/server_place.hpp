#pragma once
#include <algorithm>
#include <string>
#include <string_view>

/// \file
/// Of the URLs of servers. Inline: each adapter is a library of its own.
namespace ctxmgr {

/// Where a server is, for an error of the adapter: " (HOST:PORT, database NAME)" without what is not given. Empty where a
/// part is no plain word: a "@" there comes of a password that is not percent-encoded, and would show a piece of it.
[[nodiscard]] inline std::string server_place(std::string_view host, std::string_view port, std::string_view database) {
  const auto is_plain = [](std::string_view part) {
    return part.size() <= 255 &&
           std::all_of(part.begin(), part.end(), [](char c) { return c > ' ' && c < 0x7F && c != '@'; });
  };
  if (host.empty() || !is_plain(host) || !is_plain(port) || !is_plain(database)) return {};
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  std::string place = " (";
  place.append(is_ipv6 ? "[" : "").append(host).append(is_ipv6 ? "]" : "");
  if (!port.empty()) place.append(":").append(port);
  if (!database.empty()) place.append(", database ").append(database);
  return place + ")";
}

}  // namespace ctxmgr
