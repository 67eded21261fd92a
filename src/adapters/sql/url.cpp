#include "adapters/sql/url.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "adapters/servers/server_url.hpp"

namespace ctxmgr::sql {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

tl::unexpected<Error> malformed(std::string what) {
  return fail(ErrorCode::invalid_argument, "database url: " + std::move(what));
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
  const auto parts = parse_server_url(url);
  if (!parts) return malformed(parts.error().message);
  if (parts->scheme.empty()) return malformed("no scheme: write postgresql://USER:PASSWORD@HOST/DATABASE or mysql://…");
  Connection connection;
  if (parts->scheme == "mysql" || parts->scheme == "mariadb") {
    connection.backend = Backend::mysql;
  } else if (parts->scheme != "postgresql" && parts->scheme != "postgres") {
    return malformed("scheme is neither postgresql nor mysql");
  }
  if (parts->path.empty()) return malformed("no database");

  Parameters parameters;
  const auto port = parts->port == 0 ? std::string() : std::to_string(parts->port);
  for (const auto& added :
       {add(parameters, "host", parts->host), add(parameters, "port", port), add(parameters, "user", parts->user),
        add(parameters, "password", parts->password), add(parameters, "dbname", parts->path)}) {
    if (!added) return tl::unexpected(added.error());
  }
  for (auto rest = parts->query; !rest.empty();) {
    const auto [parameter, further] = split_at(rest, '&');
    const auto [key, value] = split_at(parameter, '=');
    if (auto added = add(parameters, key, value); !added) return tl::unexpected(added.error());
    rest = further;
  }
  add_defaults(parameters, connection.backend, connect_timeout);
  connection.parameters = joined(parameters);
  connection.place = place_of(parameters);
  return connection;
}

}  // namespace ctxmgr::sql
