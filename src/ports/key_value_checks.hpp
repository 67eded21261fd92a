#pragma once
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/ports/key_value_store.hpp"
#include "ports/deadline.hpp"

/// \file
/// The argument checks that every KeyValueStore makes, so that all of them refuse the same things in the same words.
/// Inline: adapters are libraries of their own and cannot link against hidden symbols.
namespace ctxmgr {

[[nodiscard]] inline Result<void> check_namespace(std::string_view name_space) {
  if (name_space.size() > max_namespace_bytes) return fail(ErrorCode::limit_exceeded, "namespace over 512 bytes");
  return {};
}

[[nodiscard]] inline Result<void> check_key(std::string_view key) {
  if (key.empty()) return fail(ErrorCode::invalid_argument, "empty key");
  if (key.size() > max_key_bytes) return fail(ErrorCode::limit_exceeded, "key over 1024 bytes");
  return {};
}

[[nodiscard]] inline Result<void> check_read(std::string_view name_space, const std::vector<std::string>& keys) {
  if (auto checked = check_namespace(name_space); !checked) return checked;
  for (const auto& key : keys) {
    if (auto checked = check_key(key); !checked) return checked;
  }
  return {};
}

[[nodiscard]] inline Result<void> check_list(std::string_view name_space, std::string_view prefix,
                                             std::string_view after_key) {
  if (auto checked = check_namespace(name_space); !checked) return checked;
  if (std::max(prefix.size(), after_key.size()) > max_key_bytes) {
    return fail(ErrorCode::limit_exceeded, "prefix or after_key over 1024 bytes");
  }
  return {};
}

/// What a store has listed, before anybody relies on it: keys that were not asked for, and a page that does not go on, in
/// which a caller would ask for the same page for ever.
[[nodiscard]] inline Result<void> check_listed(const std::vector<KeyInfo>& listed, std::string_view prefix,
                                               std::string_view after_key) {
  std::string_view last = after_key;
  for (const auto& info : listed) {
    const std::string_view key = info.key;
    if (key.substr(0, prefix.size()) != prefix)
      return fail(ErrorCode::bad_data, "the store listed a key without the prefix that was asked for");
    if (key.empty() || (!last.empty() && key <= last))
      return fail(ErrorCode::bad_data, "the store listed a key that does not come after the one before");
    last = key;
  }
  return {};
}

[[nodiscard]] inline Result<void> check_write(std::string_view name_space, const std::vector<KeyValueWrite>& changes) {
  if (auto checked = check_namespace(name_space); !checked) return checked;
  std::vector<std::string_view> keys;
  keys.reserve(changes.size());
  for (const auto& change : changes) {
    if (auto checked = check_key(change.key); !checked) return checked;
    if (change.value && change.value->size() > max_value_bytes) {
      return fail(ErrorCode::limit_exceeded, "value over 16 MiB");
    }
    if (change.ttl && change.ttl->count() <= 0) return fail(ErrorCode::invalid_argument, "ttl not above zero");
    keys.push_back(change.key);
  }
  std::sort(keys.begin(), keys.end());
  if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) {
    return fail(ErrorCode::invalid_argument, "a key occurs twice in one write");
  }
  return {};
}

/// A ttl past this is as good as none; adding it to a time cannot overflow.
inline constexpr std::chrono::milliseconds longest_ttl = std::chrono::hours(24 * 365 * 100);

[[nodiscard]] inline std::chrono::milliseconds capped_ttl(std::chrono::milliseconds ttl) {
  return std::min(ttl, longest_ttl);
}

}  // namespace ctxmgr
