#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr::redis {

/// \file
/// How a value lies on the server: its version, a blank, whose it is, and itself. That it says whose it is shows when a
/// reply answers another question. Frozen (v1).

inline constexpr std::size_t version_digits = 20;

/// With leading zeros.
[[nodiscard]] std::string version_text(std::uint64_t version);

/// nullopt for anything but a version; leading zeros may be missing.
[[nodiscard]] std::optional<std::uint64_t> parse_version(std::string_view digits);

/// What stands before the namespace and the key: their lengths, so that no two pairs of them look the same.
[[nodiscard]] std::string owner_lengths(std::string_view name_space, std::string_view key);

/// Everything before the value.
[[nodiscard]] std::size_t header_bytes(std::string_view name_space, std::string_view key);

/// nullopt for what is not a value of this key.
[[nodiscard]] std::optional<StoredValue> decode_value(std::string_view name_space, std::string_view key,
                                                      std::string_view text);

}  // namespace ctxmgr::redis
