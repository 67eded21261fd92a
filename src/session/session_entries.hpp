#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/session/context_entry.hpp"
#include "session/entry_label.hpp"
#include "session/session_usage.hpp"

namespace ctxmgr {

/// How a session lies in its KeyValueStore: entries with their labels, and a mark that says whether it is archived.
/// Whatever the store throws is a failure.
/// Thread-safety: all methods may be called from several threads at once.
class SessionEntries {
 public:
  SessionEntries(std::shared_ptr<KeyValueStore> store, std::string_view session_id, std::size_t max_bytes);

  /// An entry as it is stored, with what its label says.
  struct Loaded {
    ContextEntry entry;
    std::optional<ArtifactType> left_out;
  };

  /// `denied` while the session is archived, as everything else but archive(), restore() and erase_all().
  [[nodiscard]] Result<void> check_open(const CallOptions& call) const;

  [[nodiscard]] Result<std::optional<Loaded>> load(std::string_view key, const CallOptions& call) const;

  /// Several at once, whether archived or not. What is gone or damaged is nullopt.
  [[nodiscard]] Result<std::vector<std::optional<Loaded>>> load_some(const std::vector<std::string>& keys,
                                                                     const CallOptions& call) const;

  /// As of `KeyValueStore::list()`, whether archived or not.
  [[nodiscard]] Result<std::vector<KeyInfo>> list(std::string_view prefix, std::string_view after, std::size_t limit,
                                                  const CallOptions& call) const;

  /// Sets an entry. What is read-only only the host may change.
  [[nodiscard]] Result<std::uint64_t> set(std::string_view key, std::string_view value,
                                          const ContextSetOptions& options, bool is_agent, const CallOptions& call);

  [[nodiscard]] Result<void> erase(std::string_view key, bool is_agent, const CallOptions& call);

  /// An artifact, and the key that follows from its content.
  struct Kept {
    std::string key;
    const Artifact* artifact;
  };

  /// Stores the content of each artifact once, under the lowest of its trust labels. The i-th result is for the i-th.
  [[nodiscard]] std::vector<Result<void>> keep(const std::vector<Kept>& kept, const CallOptions& call);

  [[nodiscard]] Result<void> archive(const CallOptions& call);
  [[nodiscard]] Result<void> restore(const CallOptions& call);
  [[nodiscard]] Result<void> erase_all(const CallOptions& call);

 private:
  /// What is known of a session before it is changed.
  struct State {
    std::uint64_t mark = 0;  ///< Its version; 0: there is none yet.
    std::optional<Loaded> loaded{};
  };

  Result<std::vector<std::optional<StoredValue>>> read(const std::vector<std::string>& keys,
                                                       const CallOptions& call) const;
  Result<std::uint64_t> write(const std::vector<KeyValueWrite>& changes, const CallOptions& call) const;
  /// One of a batch, and where to say what became of it.
  struct Wanted {
    const Kept* kept;
    Result<void>* result;
  };
  Result<void> keep_batch(const std::vector<Wanted>& batch, const CallOptions& call);
  Result<void> keep_once(const std::vector<Wanted>& batch, std::uint64_t& mark, const CallOptions& call);
  Result<std::optional<KeyValueWrite>> write_for(const Kept& kept, std::optional<StoredValue> stored,
                                                 const CallOptions& call);
  Result<State> state_of(std::optional<std::string_view> key, const CallOptions& call) const;
  Result<std::uint64_t> change(std::uint64_t mark, std::vector<KeyValueWrite> changes, const CallOptions& call) const;
  Result<std::uint64_t> change_entry(std::string_view key, KeyValueWrite wanted, bool is_agent,
                                     const CallOptions& call) const;
  Result<std::uint64_t> undone_if_destroyed(std::uint64_t mark, const std::vector<KeyValueWrite>& changes,
                                            std::uint64_t version, const CallOptions& call) const;
  Result<void> charge(std::string_view key, std::size_t value_bytes, const CallOptions& call);

  const std::shared_ptr<KeyValueStore> store_;
  const std::string name_space_;
  SessionUsage usage_;
};

}  // namespace ctxmgr
