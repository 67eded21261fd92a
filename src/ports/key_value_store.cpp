#include "ctxmgr/ports/key_value_store.hpp"

#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "ports/key_value_checks.hpp"

namespace ctxmgr {

KeyValueStore::~KeyValueStore() = default;

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

struct Entry;
// Ordered maps: listings come in byte order, and no choice of keys makes them slow.
using Entries = std::map<std::string, Entry, std::less<>>;
using Namespaces = std::map<std::string, Entries, std::less<>>;

/// Where an entry is; map iterators stay valid until their element goes.
struct Place {
  Namespaces::iterator name_space;
  Entries::iterator entry;
};

using Recency = std::list<Place>;
using Expiries = std::multimap<SteadyTime, Place>;

struct Entry {
  StoredValue stored;
  Recency::iterator recency;
  std::optional<Expiries::iterator> expiry;
};

class MemoryKeyValueStore final : public KeyValueStore {
 public:
  explicit MemoryKeyValueStore(MemoryKeyValueStoreOptions options) : options_(std::move(options)) {}

  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    if (auto checked = check_read(name_space, keys); !checked) return tl::unexpected(checked.error());
    if (auto wanted = check_wanted(call, now()); !wanted) return tl::unexpected(wanted.error());
    const std::scoped_lock lock(mutex_);
    drop_expired();
    std::vector<std::optional<StoredValue>> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto place = find(name_space, keys[i]);
      if (!place) continue;
      values[i] = place->entry->second.stored;
      recency_.splice(recency_.begin(), recency_, place->entry->second.recency);
    }
    return values;
  }

  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (auto checked = check_write(name_space, changes); !checked) return tl::unexpected(checked.error());
    if (auto wanted = check_wanted(call, now()); !wanted) return tl::unexpected(wanted.error());
    const std::scoped_lock lock(mutex_);
    drop_expired();
    if (auto allowed = check_state(name_space, changes); !allowed) return tl::unexpected(allowed.error());
    const auto version = ++last_version_;
    for (const auto& change : changes) {
      if (const auto old = find(name_space, change.key)) remove(*old);
      if (change.value) insert(name_space, change, version);
    }
    while (used_bytes_ > options_.max_bytes) remove(recency_.back());
    return version;
  }

  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    if (auto checked = check_list(name_space, prefix, after_key); !checked) return tl::unexpected(checked.error());
    if (auto wanted = check_wanted(call, now()); !wanted) return tl::unexpected(wanted.error());
    const std::scoped_lock lock(mutex_);
    drop_expired();
    std::vector<KeyInfo> listed;
    const auto found = namespaces_.find(name_space);
    if (found == namespaces_.end()) return listed;
    const auto& entries = found->second;
    for (auto entry = after_key < prefix ? entries.lower_bound(prefix) : entries.upper_bound(after_key);
         entry != entries.end() && entry->first.starts_with(prefix) && listed.size() < limit; ++entry) {
      listed.push_back({entry->first, entry->second.stored.value.size()});
    }
    return listed;
  }

  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    if (auto checked = check_namespace(name_space); !checked) return checked;
    if (auto wanted = check_wanted(call, now()); !wanted) return wanted;
    const std::scoped_lock lock(mutex_);
    while (true) {
      const auto found = namespaces_.find(name_space);
      if (found == namespaces_.end()) return {};
      remove({found, found->second.begin()});
    }
  }

 private:
  // What the maps and lists themselves take for an entry, so that the bound also holds for many tiny ones.
  static constexpr std::size_t entry_overhead_bytes = 256;

  static std::size_t cost(std::string_view name_space, std::string_view key, std::size_t value_bytes) {
    return name_space.size() + key.size() + value_bytes + entry_overhead_bytes;
  }

  SteadyTime now() const { return options_.clock ? options_.clock->steady_now() : std::chrono::steady_clock::now(); }

  std::optional<Place> find(std::string_view name_space, std::string_view key) {
    const auto outer = namespaces_.find(name_space);
    if (outer == namespaces_.end()) return std::nullopt;
    const auto inner = outer->second.find(key);
    if (inner == outer->second.end()) return std::nullopt;
    return Place{outer, inner};
  }

  /// Whether the changes may be made: versions as expected, and room enough.
  Result<void> check_state(std::string_view name_space, const std::vector<KeyValueWrite>& changes) {
    std::size_t added = 0;
    std::size_t freed = 0;
    for (const auto& change : changes) {
      const auto old = find(name_space, change.key);
      const auto version = old ? old->entry->second.stored.version : 0;
      if (change.expected_version && *change.expected_version != version) {
        return fail(ErrorCode::conflict, "version changed");
      }
      if (old) freed += cost(name_space, change.key, old->entry->second.stored.value.size());
      if (change.value) added += cost(name_space, change.key, change.value->size());
    }
    const auto kept = options_.evict_when_full ? 0 : used_bytes_ - freed;
    if (added > 0 && kept + added > options_.max_bytes) return fail(ErrorCode::limit_exceeded, "memory store is full");
    return {};
  }

  void insert(std::string_view name_space, const KeyValueWrite& change, std::uint64_t version) {
    const auto outer = namespaces_.try_emplace(std::string(name_space)).first;
    const auto inner = outer->second.try_emplace(change.key).first;
    const Place place{outer, inner};
    auto& entry = inner->second;
    entry.stored = {*change.value, version};
    entry.recency = recency_.insert(recency_.begin(), place);
    if (change.ttl) entry.expiry = expiries_.emplace(now() + capped_ttl(*change.ttl), place);
    used_bytes_ += cost(name_space, change.key, change.value->size());
  }

  void remove(Place place) {
    const auto& [key, entry] = *place.entry;
    used_bytes_ -= cost(place.name_space->first, key, entry.stored.value.size());
    recency_.erase(entry.recency);
    if (entry.expiry) expiries_.erase(*entry.expiry);
    place.name_space->second.erase(place.entry);
    if (place.name_space->second.empty()) namespaces_.erase(place.name_space);
  }

  void drop_expired() {
    if (expiries_.empty()) return;
    const auto time = now();
    while (!expiries_.empty() && expiries_.begin()->first <= time) remove(Place(expiries_.begin()->second));
  }

  MemoryKeyValueStoreOptions options_;
  std::mutex mutex_;
  Namespaces namespaces_;
  Recency recency_;  // most recently used first
  Expiries expiries_;
  std::size_t used_bytes_ = 0;
  std::uint64_t last_version_ = 0;
};

}  // namespace

std::unique_ptr<KeyValueStore> make_memory_key_value_store(MemoryKeyValueStoreOptions options) {
  return std::make_unique<MemoryKeyValueStore>(std::move(options));
}

}  // namespace ctxmgr
