#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/clock.hpp"

namespace ctxmgr {

/// A value, and the version that its last write gave it: opaque, never 0, never given to a key twice, erased or not.
struct StoredValue {
  std::string value{};
  std::uint64_t version = 0;
};

/// One change: sets `key`, or erases it where `value` is nullopt.
struct KeyValueWrite {
  std::string key{};
  std::optional<std::string> value{};
  std::optional<std::chrono::milliseconds> ttl{};   ///< Counts from this write. Unset: stays until erased.
  std::optional<std::uint64_t> expected_version{};  ///< Unset: whatever is there. 0: only where the key is absent.
};

struct KeyInfo {
  std::string key{};
  std::size_t value_bytes = 0;
};

/// Limits that every implementation has; over one of them is `limit_exceeded`. A key has at least one byte, a time to
/// live at least one millisecond (`invalid_argument`).
inline constexpr std::size_t max_namespace_bytes = 512;
inline constexpr std::size_t max_key_bytes = 1'024;
inline constexpr std::size_t max_value_bytes = std::size_t{16} << 20;

/// Port: a namespaced key-value store. Behind summaries, session state and attachments.
///
/// Namespaces, keys and values are opaque bytes: no byte has a meaning, and no operation reaches beyond its namespace.
/// An absent key and an expired one are the same, and neither is an error. A returned success is durable as far as the
/// adapter's options promise, and visible to every later read. Called from several threads at once and, for shared
/// stores, from several processes. Must not throw. `testing/conformance.hpp` checks an implementation.
class CTXMGR_API KeyValueStore {
 public:
  KeyValueStore() = default;
  KeyValueStore(const KeyValueStore&) = delete;
  KeyValueStore& operator=(const KeyValueStore&) = delete;
  virtual ~KeyValueStore();

  /// The values of some keys, in the order asked for, nullopt where there is none. One snapshot.
  [[nodiscard]] virtual Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                                             const std::vector<std::string>& keys,
                                                                             const CallOptions& call) = 0;

  /// All of the changes or none: `conflict` if an expected version does not match. A key may occur once. Returns the
  /// version that the set keys now have. Safe to repeat only where every change has an expected version.
  [[nodiscard]] virtual Result<std::uint64_t> write(std::string_view name_space,
                                                    const std::vector<KeyValueWrite>& changes,
                                                    const CallOptions& call) = 0;

  /// Up to `limit` keys that begin with `prefix` and come after `after_key` (empty: from the first), in byte order;
  /// fewer mean the end. A key that is there throughout a listing is listed once.
  [[nodiscard]] virtual Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix,
                                                          std::string_view after_key, std::size_t limit,
                                                          const CallOptions& call) = 0;

  /// Removes every key of the namespace, and nothing else. Not an error where there is none.
  [[nodiscard]] virtual Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) = 0;
};

struct MemoryKeyValueStoreOptions {
  std::size_t max_bytes = std::size_t{64} << 20;  ///< Most bytes: keys, values and 256 an entry, of all namespaces.

  /// When it is full, the least recently used goes first: for caches. Else a write is `limit_exceeded`: for state, which
  /// must not vanish.
  bool evict_when_full = false;
  std::shared_ptr<Clock> clock{};  ///< Decides which values have expired. Null: the machine's.
};

/// Keeps everything in this process.
/// Thread-safety: all methods may be called from several threads at once.
[[nodiscard]] CTXMGR_API std::unique_ptr<KeyValueStore> make_memory_key_value_store(
    MemoryKeyValueStoreOptions options = {});

}  // namespace ctxmgr
