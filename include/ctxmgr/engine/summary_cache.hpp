#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/observer.hpp"

namespace ctxmgr {

/// Everything that makes one summary different from another. Two keys are the same where all fields are, after the
/// focus is normalised and the target rounded down to its bucket.
struct SummaryKey {
  std::string scope{};  ///< Session or tenant: nothing is shared across scopes, and without one nothing is kept.
  std::string artifact_id{};
  std::string content_hash{};  ///< `content_hash(artifact)`.
  ProcessingStrategy strategy = ProcessingStrategy::summarize;
  std::string focus{};
  std::string model{};             ///< The summariser.
  std::int64_t target_tokens = 0;  ///< Ask the model for `target_token_bucket()` of it.
  std::string prompt_version{};    ///< Changes whenever the summariser's prompt does.
  Trust trust = Trust::untrusted;
};

/// A focus with blanks collapsed, ASCII letters in lower case, and no blank or full stop, question or exclamation mark
/// at its end.
[[nodiscard]] CTXMGR_API std::string normalized_focus(std::string_view focus);

/// The largest of 16, 24, 32, 48, 64, 96 … that is not above the target, so that summaries are found again when a budget
/// moves a little. Below 16, the target itself; never less than 0.
[[nodiscard]] CTXMGR_API std::int64_t target_token_bucket(std::int64_t target_tokens);

struct SummaryCacheOptions {
  std::shared_ptr<KeyValueStore> store{};    ///< Null: 64 MiB of memory, least recently used out first.
  std::chrono::milliseconds ttl{3'600'000};  ///< How long a summary is kept, from when it was made.
  std::shared_ptr<Clock> clock{};            ///< Judges deadlines. Null: the machine's.
  std::shared_ptr<Observer> observer{};      ///< Hears of lookups. Null: nobody.

  /// Signs entries (HMAC-SHA-256), so that nobody who can write to the store can forge a summary: any other entry is a
  /// miss. Empty: a checksum against damage alone.
  std::string secret{};
};

/// One caller's part in the making of a summary that several want at once. Exactly one of them leads: it makes the
/// summary and calls finish(). The others wait() or poll(). A leader that is destroyed unfinished steps back, and the
/// next one that asks leads.
/// Thread-safety: one thread at a time, any thread; flights of one key may be in different threads.
class CTXMGR_API SummaryFlight {
 public:
  SummaryFlight(SummaryFlight&&) noexcept;
  SummaryFlight& operator=(SummaryFlight&&) noexcept;
  ~SummaryFlight();

  /// Whether this caller has to make the summary. A follower may become the leader while it polls or waits.
  [[nodiscard]] bool is_leader() const;

  /// The leader's answer: kept in the cache if it is one, and given to everybody who waits. A failure is given to those
  /// who wait now and kept by nobody; `cancelled` and `deadline_exceeded` are the leader's own, so the next one leads.
  void finish(const Result<std::string>& summary, const CallOptions& call = {});

  /// The leader's answer if it is there. nullopt: not yet, or `is_leader()` now.
  [[nodiscard]] std::optional<Result<std::string>> poll();

  /// Waits for it, at most until the deadline or cancellation. nullopt: `is_leader()` now. To be called after this
  /// caller's own calls are answered. `unavailable` where the leader would have to run in this very thread.
  [[nodiscard]] std::optional<Result<std::string>> wait(const CallOptions& call = {});

 private:
  friend class SummaryCache;
  struct Impl;
  void hand_out(std::string summary);
  explicit SummaryFlight(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Summaries, kept so that nobody pays for one twice. A store that fails, or answers with anything but what was asked
/// for, costs a miss and never an error: entries repeat their key and carry a checksum.
///
///     auto summary = cache.get_or_compute(key, [&](const CallOptions& c) { return summarize(artifact, c); }, call);
///
/// A caller that must not block uses lookup(), claim() and finish() instead. Copies share everything.
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

  /// Joins those who want this summary now, or is the first of them.
  [[nodiscard]] SummaryFlight claim(const SummaryKey& key) const;

  /// From the cache, from whoever makes it now, or from `compute`, which is called at most once and may throw
  /// (`internal`). Fails as `compute` does, or with `cancelled` or `deadline_exceeded` while waiting for somebody else.
  [[nodiscard]] Result<std::string> get_or_compute(
      const SummaryKey& key, const std::function<Result<std::string>(const CallOptions&)>& compute,
      const CallOptions& call = {}) const;

  /// For each content, the focuses (as first worded, newest first, at most 8) under which it was summarised lately, so
  /// that a planner can use one again instead of finding new words.
  [[nodiscard]] std::vector<std::vector<std::string>> focuses(std::string_view scope,
                                                              const std::vector<std::string>& content_hashes,
                                                              const CallOptions& call = {}) const;

  /// Forgets all summaries of a scope: after a poisoned one was found, or when a session ends.
  [[nodiscard]] Result<void> clear(std::string_view scope, const CallOptions& call = {}) const;

  /// Lookups since this cache was made, over all scopes.
  [[nodiscard]] CacheStats stats() const;

 private:
  friend class SummaryFlight;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ctxmgr
