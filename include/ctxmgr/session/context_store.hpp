#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/observer.hpp"
#include "ctxmgr/session/context_entry.hpp"

namespace ctxmgr {

inline constexpr std::size_t max_session_id_bytes = 128;
inline constexpr std::size_t max_context_key_bytes = 512;

/// Keys that begin with this are written by `ContextStore::keep()` alone. Behind it stand the first digits of the
/// content's hash: prompts hold these keys, and all 64 digits would take 30 tokens more each time. Of two contents with
/// the same digits the second is refused.
inline constexpr std::string_view artifact_key_prefix = "artifact:";
inline constexpr std::size_t artifact_key_digits = 16;

struct ContextStoreOptions {
  std::string session_id{};  ///< Opaque bytes, 1 to 128 of them. Where guessing matters, make it of 128 random bits.
  std::shared_ptr<KeyValueStore> store{};
  std::shared_ptr<Observer> observer{};  ///< Hears of every access and of artifacts that are read back. Null: nobody.
  std::vector<AccessRule> rules{};       ///< None: every agent may do everything.

  /// Most bytes of the session, with 128 for each entry; over it, a write is `limit_exceeded`. Counted now and then, so several
  /// processes that write at once may together go over it by their writes between two counts.
  std::size_t max_bytes = std::size_t{256} << 20;
};

struct ContextHit {
  std::string key{};
  std::size_t offset_bytes = 0;
  std::size_t offset_chars = 0;  ///< The offset in code points, as `get_context` counts.
  std::string text{};            ///< The passage, at most some hundred characters of it.
  double score = 0;              ///< 0 to 1, comparable within one search.
  Trust trust = Trust::untrusted;
};

/// The state of one session: a handle that can reach nothing else, whatever bytes its id and keys hold.
/// The session lives as long as its KeyValueStore keeps it: open it again with the same id, in any process, to go on. Once it
/// is archived, calls of open handles are `denied`. Every failure of the store is passed on.
///
///     auto session = ContextStore::open({"session-1", store});
///     (*session)->set("source_1", page);
///
/// Thread-safety: all methods may be called from several threads at once.
class CTXMGR_API ContextStore final : public ArtifactArchive {
 public:
  /// Opens a session, new or not. `denied` if it is archived.
  [[nodiscard]] static Result<std::shared_ptr<ContextStore>> open(ContextStoreOptions options,
                                                                  const CallOptions& call = {});
  ~ContextStore() override;

  /// The same session, seen by an agent: a key that the rules forbid is `denied`, and neither listed nor searched.
  [[nodiscard]] std::shared_ptr<ContextStore> as_agent(std::string agent) const;

  [[nodiscard]] const std::string& session_id() const;

  /// The entry of a key; nullopt if there is none.
  [[nodiscard]] Result<std::optional<ContextEntry>> get(std::string_view key, const CallOptions& call = {}) const;

  /// Writes an entry and returns its new version. `denied` by a rule, `conflict` by `expected_version`, `limit_exceeded`.
  [[nodiscard]] Result<std::uint64_t> set(std::string_view key, std::string value,
                                          const ContextSetOptions& options = {}, const CallOptions& call = {});

  /// Erases an entry. No error if there is none.
  [[nodiscard]] Result<void> erase(std::string_view key, const CallOptions& call = {});

  /// Up to `limit` keys that begin with `prefix` and come after `after_key`, in byte order; fewer mean the end.
  [[nodiscard]] Result<std::vector<KeyInfo>> list(std::string_view prefix = {}, std::string_view after_key = {},
                                                  std::size_t limit = 100, const CallOptions& call = {}) const;

  /// The best passages for some words, best first, in the values under `key_prefix`: the first 2 000 of them, and 32 MiB.
  [[nodiscard]] Result<std::vector<ContextHit>> search(std::string_view words, std::size_t limit = 10,
                                                       std::string_view key_prefix = {},
                                                       const CallOptions& call = {}) const;

  /// Erases all entries; the session goes on. For the host: an agent is `denied`.
  [[nodiscard]] Result<void> clear(const CallOptions& call = {});

  /// Archived, a session keeps its state but opens for nobody until it is restored. For the host.
  [[nodiscard]] Result<void> archive(const CallOptions& call = {});
  [[nodiscard]] static Result<void> restore(const ContextStoreOptions& options, const CallOptions& call = {});

  /// Erases everything, archived or not; the id can be used again, for a new session. For the host, who also knows
  /// where else something of it lies: summaries (`SummaryCache::clear()` of its scope), attachments, threads.
  [[nodiscard]] Result<void> destroy(const CallOptions& call = {});

  /// `get_context("artifact:…")`, with 16 digits of the content's hash.
  [[nodiscard]] std::string reference_of(const Artifact& artifact) const override;

  /// Stores an artifact read-only under that key. An artifact kept under two trust labels has the lower one.
  [[nodiscard]] Result<std::string> keep(const Artifact& artifact, const CallOptions& call) override;

  /// The same for several, 4 MiB of them in one read and one write of the store.
  [[nodiscard]] std::vector<Result<std::string>> keep_all(const std::vector<const Artifact*>& artifacts,
                                                          const CallOptions& call) override;

  /// How often something that a build had left out was read after all, by type of artifact, through this handle and
  /// those made from it. Many mean that builds leave out too much.
  [[nodiscard]] std::map<std::string, std::int64_t> refetches() const;

 private:
  friend class ContextTools;
  struct Impl;
  ContextStore(std::shared_ptr<Impl> impl, std::optional<std::string> agent);

  Result<std::optional<ContextEntry>> read_entry(std::string_view key, bool is_first_page,
                                                 const CallOptions& call) const;
  Result<void> check_host() const;

  std::shared_ptr<Impl> impl_;
  std::optional<std::string> agent_;  // none: the host
};

}  // namespace ctxmgr
