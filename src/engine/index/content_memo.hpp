#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/index/fingerprint.hpp"

namespace ctxmgr::engine {

/// Remembers what was made from contents, by their fingerprints over its own seed; once it takes too much memory, the least recently used
/// go, a quarter of the memory at a time.
///
/// Thread-safety: all member functions may be called concurrently.
template <class Value>
class ContentMemo {
 public:
  explicit ContentMemo(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Random, so that nobody can prepare two contents with one key.
  [[nodiscard]] const Fingerprint& seed() const { return seed_; }

  /// Null where it is not known.
  [[nodiscard]] std::shared_ptr<const Value> find(const Fingerprint& key) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    found->second.used = ++uses_;
    return found->second.value;
  }

  /// `bytes`: the memory that it takes. What is known under this key stays; what takes too much by itself is not kept.
  void insert(const Fingerprint& key, std::shared_ptr<const Value> value, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > max_bytes_ || !entries_.emplace(key, Entry{std::move(value), bytes, ++uses_}).second) return;
    bytes_ += bytes;
    if (bytes_ > max_bytes_) make_room();
  }

  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    std::shared_ptr<const Value> value;
    std::size_t bytes = 0;
    std::uint64_t used = 0;  ///< The larger, the later.
  };
  struct KeyHash {
    std::size_t operator()(const Fingerprint& key) const { return static_cast<std::size_t>(key.low); }
  };

  void make_room() {
    std::vector<std::pair<std::uint64_t, Fingerprint>> oldest_first;
    oldest_first.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) oldest_first.emplace_back(entry.used, key);
    std::sort(oldest_first.begin(), oldest_first.end());
    for (const auto& [used, key] : oldest_first) {
      if (bytes_ <= max_bytes_ - max_bytes_ / 4) break;
      const auto entry = entries_.find(key);
      bytes_ -= entry->second.bytes;
      entries_.erase(entry);
    }
  }

  const Fingerprint seed_ = random_fingerprint();
  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<Fingerprint, Entry, KeyHash> entries_;
  std::uint64_t uses_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace ctxmgr::engine
