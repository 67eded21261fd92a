#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::redis {

/// The parts of a Redis URL. Holds the password: never print one.
struct Url {
  bool tls = false;
  std::string user{};
  std::string password{};
  std::string host{};
  int port = 6379;
  int database = 0;
};

/// `invalid_argument` says which part is wrong and quotes nothing.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

}  // namespace ctxmgr::redis
