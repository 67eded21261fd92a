#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ctxmgr::redis {

/// \file
/// How a cluster divides keys among its nodes ("Redis cluster specification", redis.io).

struct Address {
  std::string host{};
  int port = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

/// One of 16 384, by what stands in a key's first braces, or by the whole key where there are none.
[[nodiscard]] int slot_of(std::string_view key);

/// The answer of a node that does not serve a slot: which one does.
struct Moved {
  int slot = 0;
  Address to{};  ///< No host: that of the node which answered.
};

/// nullopt for any other error reply.
[[nodiscard]] std::optional<Moved> parse_moved(std::string_view reply);

}  // namespace ctxmgr::redis
