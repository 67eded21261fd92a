#include "adapters/sql/url.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "adapters/url/percent_decoded.hpp"
#include "adapters/url/server_place.hpp"

namespace ctxmgr::sql {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

tl::unexpected<Error> malformed(std::string what) {
  return fail(ErrorCode::invalid_argument, "database url: " + std::move(what));
}

/// Splits at the first separator; the second half is empty where there is none.
std::pair<std::string_view, std::string_view> split(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

Result<void> add(Parameters& parameters, std::string_view key, std::string_view encoded) {
  if (encoded.empty()) return {};
  auto value = percent_decoded(encoded);
  // What reads it as a C string would take the rest for missing.
  if (!value || value->find('\0') != std::string::npos) return malformed("percent-encoding");
  const bool key_is_word =
      std::all_of(key.begin(), key.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  if (key.empty() || !key_is_word) return malformed("parameter name");
  parameters.emplace_back(key, std::move(*value));
  return {};
}

Result<void> add_host(Parameters& parameters, std::string_view authority) {
  std::string_view host = authority;
  std::string_view port;
  if (authority.substr(0, 1) == "[") {  // IPv6
    const auto end = authority.find(']');
    if (end == std::string_view::npos) return malformed("host");
    host = authority.substr(1, end - 1);
    port = split(authority.substr(end), ':').second;
  } else {
    std::tie(host, port) = split(authority, ':');
  }
  if (!std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) return malformed("port");
  if (auto added = add(parameters, "host", host); !added) return added;
  return add(parameters, "port", port);
}

std::string place_of(const Parameters& parameters) {
  const auto value = [&](std::string_view key) -> std::string_view {
    const auto is_it = [key](const auto& parameter) { return parameter.first == key; };
    const auto found = std::find_if(parameters.begin(), parameters.end(), is_it);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  };
  return server_place(value("host"), value("port"), value("dbname"));
}

std::string joined(const Parameters& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters) {
    text += (text.empty() ? "" : " ") + key + "='";
    for (const char c : value) {
      if (c == '\'' || c == '\\') text += '\\';
      text += c;
    }
    text += '\'';
  }
  return text;
}

void add_defaults(Parameters& parameters, Backend backend, std::chrono::milliseconds connect_timeout) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(connect_timeout).count();
  parameters.emplace_back("connect_timeout", std::to_string(std::max<std::int64_t>(1, seconds)));
  if (backend == Backend::postgresql) {
    parameters.emplace_back("client_encoding", "UTF8");
  } else {
    parameters.emplace_back("charset", "utf8mb4");
  }
}

}  // namespace

Result<Connection> parse_url(std::string_view url, std::chrono::milliseconds connect_timeout) {
  const auto scheme_end = url.find("://");
  const std::string_view scheme = url.substr(0, std::min(scheme_end, url.size()));
  if (scheme_end == std::string_view::npos)
    return malformed("no scheme: write postgresql://USER:PASSWORD@HOST/DATABASE or mysql://…");
  Connection connection;
  if (scheme == "mysql" || scheme == "mariadb") {
    connection.backend = Backend::mysql;
  } else if (scheme != "postgresql" && scheme != "postgres") {
    return malformed("scheme is neither postgresql nor mysql");
  }
  const auto [location, query] = split(url.substr(scheme_end + 3), '?');
  const auto [authority, database] = split(location, '/');
  const auto at = authority.rfind('@');
  const auto [user, password] = split(at == std::string_view::npos ? "" : authority.substr(0, at), ':');
  if (database.empty()) return malformed("no database");

  Parameters parameters;
  for (const auto& added :
       {add_host(parameters, at == std::string_view::npos ? authority : authority.substr(at + 1)),
        add(parameters, "user", user), add(parameters, "password", password), add(parameters, "dbname", database)}) {
    if (!added) return tl::unexpected(added.error());
  }
  for (auto rest = query; !rest.empty();) {
    const auto [parameter, further] = split(rest, '&');
    const auto [key, value] = split(parameter, '=');
    if (auto added = add(parameters, key, value); !added) return tl::unexpected(added.error());
    rest = further;
  }
  add_defaults(parameters, connection.backend, connect_timeout);
  connection.parameters = joined(parameters);
  connection.place = place_of(parameters);
  return connection;
}

}  // namespace ctxmgr::sql
