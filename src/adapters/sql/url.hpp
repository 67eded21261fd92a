#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::sql {

enum class Backend { postgresql, mysql };

/// What a SOCI session is opened with. Holds a password: never to be printed.
struct Connection {
  Backend backend = Backend::postgresql;
  std::string parameters{};  ///< Written as the backend wants them: key='value' …
  std::string place{};  ///< Host, port and database for an error, no user and no password: " (db:5432, database d)".
};

/// `invalid_argument` says what is wrong, without any part of the URL.
[[nodiscard]] Result<Connection> parse_url(std::string_view url, std::chrono::milliseconds connect_timeout);

}  // namespace ctxmgr::sql
