#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::redis {

/// Overwrites a text that is no longer needed, also where an optimiser thinks that nobody will look.
void wipe(std::string& text);

/// The parts of a Redis URL. Holds the password, and wipes it in the end: never print one.
struct Url {
  Url() = default;
  Url(const Url&) = default;
  Url(Url&&) = default;
  Url& operator=(const Url&) = delete;
  Url& operator=(Url&&) = delete;
  ~Url();

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
