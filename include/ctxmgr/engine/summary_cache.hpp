#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/engine/summary_key.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/observer.hpp"

namespace ctxmgr {

struct SummaryCacheOptions {
  std::shared_ptr<KeyValueStore> store{};    ///< Null: 64 MiB of memory, least recently used out first.
  std::chrono::milliseconds ttl{3'600'000};  ///< How long a summary is kept, from when it was made.
  std::shared_ptr<Clock> clock{};            ///< Judges deadlines. Null: the machine's.
  std::shared_ptr<Observer> observer{};      ///< Hears of lookups. Null: nobody.

  /// Signs entries (HMAC-SHA-256), so that nobody who can write to the store can forge a summary: any other entry is a
  /// miss. Empty: a checksum against damage alone.
  std::string secret{};
};

/// Summaries, kept so that nobody pays for one twice. A store that fails, or answers with another value than was asked
/// for, costs a miss and never an error: entries repeat their key and carry a checksum.
///
///     auto summary = cache.get_or_compute(key, [&](const CallOptions& c) { return summarize(artifact, c); }, call);
///
/// A key without a scope is kept where `SummaryCacheOptions::store` is null. Over a store that others may share, nothing is kept
/// under it, since nobody knows whose data it is: a lookup misses, and `get_or_compute()` is `invalid_argument`.
///
/// Copies share everything.
/// Thread-safety: const methods may be called from several threads at once.
class CTXMGR_API SummaryCache {
 public:
  explicit SummaryCache(SummaryCacheOptions options = {});

  /// What is cached, in the order of the keys. One read of the store for each scope.
  [[nodiscard]] std::vector<std::optional<std::string>> lookup(const std::vector<SummaryKey>& keys,
                                                               const CallOptions& call = {}) const;
  [[nodiscard]] std::optional<std::string> lookup(const SummaryKey& key, const CallOptions& call = {}) const;

  /// Keeps a summary, and remembers its focus. A blank one is not kept.
  void store(const SummaryKey& key, std::string_view summary, const CallOptions& call = {}) const;

  /// From the cache, from whoever makes it now, or from `compute`, which is called at most once and may throw
  /// (`internal`). Fails as `compute` does, or with `cancelled` or `deadline_exceeded` while waiting for somebody else.
  [[nodiscard]] Result<std::string> get_or_compute(
      const SummaryKey& key, const std::function<Result<std::string>(const CallOptions&)>& compute,
      const CallOptions& call = {}) const;

  /// For each content, the focuses under which it was summarised lately, so that a planner can use one again. As first
  /// worded, newest first, at most 8. None without a scope: a focus tells what somebody asked.
  [[nodiscard]] std::vector<std::vector<std::string>> focuses(std::string_view scope,
                                                              const std::vector<std::string>& content_hashes,
                                                              const CallOptions& call = {}) const;

  /// Forgets all summaries of a scope: after a poisoned one was found, or when a session ends.
  [[nodiscard]] Result<void> clear(std::string_view scope, const CallOptions& call = {}) const;

  /// Lookups since this cache was made, over all scopes.
  [[nodiscard]] CacheStats stats() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ctxmgr
