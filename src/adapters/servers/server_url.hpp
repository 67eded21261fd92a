#pragma once
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "ctxmgr/core/error.hpp"

/// \file
/// Of the URLs of servers. Inline: each adapter is a library of its own.
namespace ctxmgr {

/// The parts of "SCHEME://USER:PASSWORD@HOST:PORT/PATH?QUERY" as they are written, empty where they are not given. Views, so
/// that a password stands nowhere else.
struct ServerUrl {
  std::string_view scheme{};
  std::string_view user{};
  std::string_view password{};
  std::string_view host{};  ///< An IPv6 address without its brackets.
  int port = 0;             ///< 0: none.
  std::string_view path{};  ///< Without the slash before it.
  std::string_view query{};
};

/// All of the text as a number from 0 to `max`.
[[nodiscard]] inline std::optional<int> parse_number(std::string_view text, int max) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0 || number > max) return std::nullopt;
  return number;
}

/// Splits at the first separator; the second half is empty where there is none.
[[nodiscard]] inline std::pair<std::string_view, std::string_view> split_at(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// `invalid_argument` says which part is wrong and quotes nothing.
[[nodiscard]] inline Result<ServerUrl> parse_server_url(std::string_view text) {
  ServerUrl url;
  const auto scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return url;
  url.scheme = text.substr(0, scheme_end);
  auto [address, location] = split_at(text.substr(scheme_end + 3), '/');
  std::tie(url.path, url.query) = split_at(location, '?');
  if (const auto at = address.rfind('@'); at != std::string_view::npos) {
    std::tie(url.user, url.password) = split_at(address.substr(0, at), ':');
    address.remove_prefix(at + 1);
  }
  std::string_view port;
  if (address.substr(0, 1) == "[") {
    const auto end = address.find(']');
    if (end == std::string_view::npos) return fail(ErrorCode::invalid_argument, "no closing bracket");
    url.host = address.substr(1, end - 1);
    port = address.substr(end + 1);
    if (!port.empty() && port.front() != ':') return fail(ErrorCode::invalid_argument, "bad host");
    port = split_at(port, ':').second;
  } else {
    std::tie(url.host, port) = split_at(address, ':');
  }
  url.port = port.empty() ? 0 : parse_number(port, 65'535).value_or(0);
  if (!port.empty() && url.port == 0) return fail(ErrorCode::invalid_argument, "bad port");
  return url;
}

/// The text with "%40" and the like as the bytes that they stand for; nothing where a percent sign has no two digits.
[[nodiscard]] inline std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());  // Growing would leave copies of a password behind.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    unsigned char byte = 0;
    const auto digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc{} || digits.size() != 2 || end != digits.data() + 2) return std::nullopt;
    decoded.push_back(static_cast<char>(byte));
    i += 2;
  }
  return decoded;
}

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
