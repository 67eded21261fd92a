#include "ctxmgr/engine/summary_cache.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/ascii.hpp"
#include "engine/summaries/summary_entry.hpp"
#include "engine/summaries/summary_flight.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t max_focuses = 8;
constexpr std::size_t max_focus_bytes = 512;  // A longer one is no wording that a planner would use again.

/// Where flights of a key meet, and the clock by which they wait.
struct FlightPlace {
  std::shared_ptr<SummaryFlight::Table> table{};
  std::shared_ptr<Clock> clock{};
};

}  // namespace

FlightPlace place_of_flights(const SummaryCache& cache, std::string_view scope);

struct SummaryCache::Impl {
  SummaryCacheOptions options;
  bool is_in_process = false;  ///< The store is this cache's own.
  std::shared_ptr<SummaryFlight::Table> flights = std::make_shared<SummaryFlight::Table>();
  std::atomic<std::int64_t> hits{0};
  std::atomic<std::int64_t> misses{0};

  static const Impl& of(const SummaryCache& cache) { return *cache.impl_; }
  friend FlightPlace place_of_flights(const SummaryCache& cache, std::string_view scope) {
    const auto& impl = of(cache);
    return {impl.is_kept(scope) ? impl.flights : std::make_shared<SummaryFlight::Table>(), impl.options.clock};
  }

  /// Without a scope nobody knows whose data it is, so it does not leave the process.
  [[nodiscard]] bool is_kept(std::string_view scope) const { return is_in_process || !scope.empty(); }

  Result<std::vector<std::optional<StoredValue>>> read(std::string_view scope, const std::vector<std::string>& keys,
                                                       const CallOptions& call) const {
    if (!is_kept(scope)) return std::vector<std::optional<StoredValue>>(keys.size());
    auto values = guarded([&] { return options.store->read(summary_namespace(scope), keys, call); });
    if (values && values->size() != keys.size()) return fail(ErrorCode::bad_data, "store answered another question");
    return values;
  }

  std::optional<std::string> find(const SummaryKey& key, const CallOptions& call) const {
    const auto values = read(key.scope, {summary_store_key(key)}, call);
    return values && (*values)[0] ? decode_summary(key, (*values)[0]->value, options.secret) : std::nullopt;
  }

  void count(std::string_view scope, bool hit) {
    ++(hit ? hits : misses);
    if (!options.observer) return;
    (void)guarded([&]() -> Result<void> {
      options.observer->on_event({EventKind::cache_lookup, scope, {{"hit", std::int64_t{hit}}}});
      return {};
    });
  }
};

SummaryCache::SummaryCache(SummaryCacheOptions options) : impl_(std::make_shared<Impl>()) {
  impl_->options = std::move(options);
  impl_->is_in_process = impl_->options.store == nullptr;
  if (impl_->is_in_process) {
    MemoryKeyValueStoreOptions memory;
    memory.evict_when_full = true;
    memory.clock = impl_->options.clock;
    impl_->options.store = make_memory_key_value_store(std::move(memory));
  }
}

std::vector<std::optional<std::string>> SummaryCache::lookup(const std::vector<SummaryKey>& keys,
                                                             const CallOptions& call) const {
  std::vector<std::optional<std::string>> found(keys.size());
  for (std::size_t first = 0; first < keys.size();) {
    auto last = first;
    std::vector<std::string> store_keys;
    for (; last < keys.size() && keys[last].scope == keys[first].scope; ++last) {
      store_keys.push_back(summary_store_key(keys[last]));
    }
    const auto values = impl_->read(keys[first].scope, store_keys, call);
    for (auto i = first; i < last; ++i) {
      if (values && (*values)[i - first])
        found[i] = decode_summary(keys[i], (*values)[i - first]->value, impl_->options.secret);
      impl_->count(keys[i].scope, found[i].has_value());
    }
    first = last;
  }
  return found;
}

std::optional<std::string> SummaryCache::lookup(const SummaryKey& key, const CallOptions& call) const {
  auto found = impl_->find(key, call);
  impl_->count(key.scope, found.has_value());
  return found;
}

void SummaryCache::store(const SummaryKey& key, std::string_view summary, const CallOptions& call) const {
  if (!impl_->is_kept(key.scope) || std::all_of(summary.begin(), summary.end(), ascii::is_space)) return;
  std::vector<KeyValueWrite> changes{
      {summary_store_key(key), encode_summary(key, summary, impl_->options.secret), impl_->options.ttl, {}}};
  if (!key.scope.empty() && key.focus.size() <= max_focus_bytes) {
    auto focuses = this->focuses(key.scope, {key.content_hash}, call).front();
    std::erase_if(focuses, [&](const auto& f) { return normalized_focus(f) == normalized_focus(key.focus); });
    focuses.insert(focuses.begin(), key.focus);
    focuses.resize(std::min(focuses.size(), max_focuses));
    // Last writer wins: a focus lost in a race is advice lost, not data.
    changes.push_back({focuses_store_key(key.content_hash),
                       encode_focuses(key.scope, key.content_hash, focuses, impl_->options.secret),
                       impl_->options.ttl,
                       {}});
  }
  (void)guarded([&] { return impl_->options.store->write(summary_namespace(key.scope), changes, call); });
}

Result<std::string> SummaryCache::get_or_compute(const SummaryKey& key,
                                                 const std::function<Result<std::string>(const CallOptions&)>& compute,
                                                 const CallOptions& call) const {
  if (!impl_->is_kept(key.scope))
    return fail(ErrorCode::invalid_argument,
                "a summary key without a scope over a shared store: name the session or the tenant");
  if (auto cached = lookup(key, call)) return *std::move(cached);
  auto flight = SummaryFlight::claim(*this, key);
  if (!flight.is_leader()) {
    if (auto answer = flight.wait(call)) return *std::move(answer);
  } else if (auto cached = impl_->find(key, call)) {
    // Somebody finished between the lookup and the claim.
    flight.hand_out(*cached);
    return *std::move(cached);
  }
  // A throw leaves the flight unfinished, and the next caller leads.
  auto summary = guarded([&] { return compute(call); });
  if (summary || summary.error().code != ErrorCode::internal) flight.finish(summary, call);
  return summary;
}

std::vector<std::vector<std::string>> SummaryCache::focuses(std::string_view scope,
                                                            const std::vector<std::string>& content_hashes,
                                                            const CallOptions& call) const {
  std::vector<std::vector<std::string>> focuses(content_hashes.size());
  if (scope.empty()) return focuses;
  std::vector<std::string> keys;
  keys.reserve(content_hashes.size());
  for (const auto& hash : content_hashes) keys.push_back(focuses_store_key(hash));
  const auto values = impl_->read(scope, keys, call);
  for (std::size_t i = 0; values && i < keys.size(); ++i) {
    if ((*values)[i]) focuses[i] = decode_focuses(scope, content_hashes[i], (*values)[i]->value, impl_->options.secret);
  }
  return focuses;
}

Result<void> SummaryCache::clear(std::string_view scope, const CallOptions& call) const {
  return guarded([&] { return impl_->options.store->erase_namespace(summary_namespace(scope), call); });
}

CacheStats SummaryCache::stats() const { return {impl_->hits.load(), impl_->misses.load()}; }

SummaryFlight SummaryFlight::claim(const SummaryCache& cache, const SummaryKey& key) {
  auto place = place_of_flights(cache, key.scope);
  return {cache, key, std::move(place.table), std::move(place.clock)};
}

}  // namespace ctxmgr
