#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// An agent's rights to a key.
enum class Access { none, read, read_write };
[[nodiscard]] CTXMGR_API std::string_view to_string(Access value);

/// For the keys that begin with a prefix. The longest matching prefix decides, and of two rules for the same prefix the
/// one that names the agent, then the later one. Keys without a rule may be read and written.
struct AccessRule {
  std::string agent{};  ///< Empty: every agent.
  std::string key_prefix{};
  Access access = Access::read_write;
};

struct ContextEntry {
  std::string value{};
  std::uint64_t version = 0;
  Trust trust = Trust::untrusted;
  bool read_only = false;  ///< No agent may change it, only the host.
};

struct ContextSetOptions {
  Trust trust = Trust::untrusted;                   ///< The label of the value. A model writes untrusted values only.
  bool read_only = false;                           ///< No agent may change it later, only the host.
  std::optional<std::chrono::milliseconds> ttl{};   ///< Unset: stays until erased.
  std::optional<std::uint64_t> expected_version{};  ///< 0: only if absent. Else `conflict` if it has changed.
};

}  // namespace ctxmgr
