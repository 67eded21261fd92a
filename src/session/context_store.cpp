#include "ctxmgr/session/context_store.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/utf8.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ports/guarded.hpp"
#include "session/access_rules.hpp"
#include "session/context_entry.hpp"
#include "session/session_usage.hpp"

namespace ctxmgr {
namespace {

// In a session's namespace: entries under "k" and their key, and this mark while the session is archived.
constexpr std::string_view entry_prefix = "k";
constexpr std::string_view archived_mark = "m:archived";

constexpr std::size_t entry_overhead_bytes = 128;
constexpr std::size_t page_size = 1'000;
constexpr int max_races = 100;

constexpr std::size_t max_searched_keys = 2'000;
constexpr std::size_t max_searched_bytes = std::size_t{32} << 20;
constexpr std::size_t searched_at_once = 32;
constexpr std::size_t hits_per_value = 3;
constexpr std::size_t max_hit_bytes = 600;
constexpr std::size_t search_cache_bytes = std::size_t{16} << 20;

std::string namespace_of(std::string_view session_id) { return "ctxmgr.session.1:" + std::string(session_id); }
std::string store_key(std::string_view key) { return std::string(entry_prefix).append(key); }

Result<void> check_options(const ContextStoreOptions& options) {
  if (!options.store) return fail(ErrorCode::invalid_argument, "a session needs a store");
  if (options.session_id.empty()) return fail(ErrorCode::invalid_argument, "empty session id");
  if (options.session_id.size() > max_session_id_bytes) {
    return fail(ErrorCode::limit_exceeded, "session id over 128 bytes");
  }
  return {};
}

Result<void> check_key(std::string_view key) {
  if (key.empty()) return fail(ErrorCode::invalid_argument, "empty key");
  if (key.size() > max_context_key_bytes) return fail(ErrorCode::limit_exceeded, "key over 512 bytes");
  return {};
}

}  // namespace

struct ContextStore::Impl {
  explicit Impl(ContextStoreOptions given)
      : options(std::move(given)), name_space(namespace_of(options.session_id)), usage(options.max_bytes) {}

  const ContextStoreOptions options;
  const std::string name_space;
  SessionUsage usage;
  const Retriever retriever{RetrieverOptions{search_cache_bytes}};
  mutable std::mutex mutex;
  std::map<std::string, std::int64_t> refetches;

  /// An entry as it is stored, with what its label says.
  struct Loaded {
    ContextEntry entry;
    std::optional<ArtifactType> left_out;
  };

  Result<std::vector<std::optional<StoredValue>>> read(const std::vector<std::string>& keys,
                                                       const CallOptions& call) const {
    auto values = guarded([&] { return options.store->read(name_space, keys, call); });
    if (values && values->size() != keys.size()) return fail(ErrorCode::bad_data, "the store answered something else");
    return values;
  }

  Result<std::uint64_t> write(const std::vector<KeyValueWrite>& changes, const CallOptions& call) const {
    return guarded([&] { return options.store->write(name_space, changes, call); });
  }

  Result<std::vector<KeyInfo>> list(std::string_view prefix, std::string_view after, std::size_t limit,
                                    const CallOptions& call) const {
    const auto after_key = after.empty() ? std::string() : store_key(after);
    auto page = guarded([&] { return options.store->list(name_space, store_key(prefix), after_key, limit, call); });
    if (!page) return page;
    for (auto& info : *page) {
      info.key.erase(0, entry_prefix.size());
      info.value_bytes -= std::min(info.value_bytes, entry_label_bytes);
    }
    return page;
  }

  static Result<std::optional<Loaded>> decode(std::optional<StoredValue> stored) {
    if (!stored) return std::nullopt;
    const auto label = decode_label(stored->value);
    if (!label) return fail(ErrorCode::bad_data, "an entry of the session is damaged");
    stored->value.erase(0, entry_label_bytes);
    return Loaded{{std::move(stored->value), stored->version, label->trust, label->mutability}, label->left_out};
  }

  /// `denied` while the session is archived.
  Result<void> check_open(const CallOptions& call) const {
    const auto mark = read({std::string(archived_mark)}, call);
    if (!mark) return tl::unexpected(mark.error());
    if ((*mark)[0]) return fail(ErrorCode::denied, "the session is archived");
    return {};
  }

  Result<std::optional<Loaded>> load(std::string_view key, const CallOptions& call) const {
    auto values = read({std::string(archived_mark), store_key(key)}, call);
    if (!values) return tl::unexpected(values.error());
    if ((*values)[0]) return fail(ErrorCode::denied, "the session is archived");
    return decode(std::move((*values)[1]));
  }

  Result<void> charge(std::string_view key, std::size_t value_bytes, const CallOptions& call) {
    const auto count = [&]() -> Result<std::size_t> {
      std::size_t used = 0;
      std::string after;
      while (true) {
        const auto page = list({}, after, page_size, call);
        if (!page) return tl::unexpected(page.error());
        for (const auto& info : *page) used += info.key.size() + info.value_bytes + entry_overhead_bytes;
        if (page->size() < page_size) return used;
        after = page->back().key;
      }
    };
    return usage.charge(key.size() + value_bytes + entry_overhead_bytes, count);
  }

  /// Changes an entry that only the host may change if it is read-only; `agent` says who asks.
  Result<std::uint64_t> change(std::string_view key, KeyValueWrite change, bool is_agent, const CallOptions& call) {
    change.key = store_key(key);
    if (!is_agent) {
      if (auto open = check_open(call); !open) return tl::unexpected(open.error());
      return write({std::move(change)}, call);
    }
    for (int race = 0; race < max_races; ++race) {
      const auto loaded = load(key, call);
      if (!loaded) return tl::unexpected(loaded.error());
      if (*loaded && (*loaded)->entry.mutability == Mutability::read_only) {
        return fail(ErrorCode::denied, "the key is read-only");
      }
      auto guarded_change = change;
      const auto version = *loaded ? (*loaded)->entry.version : 0;
      if (change.expected_version && *change.expected_version != version) {
        return fail(ErrorCode::conflict, "version changed");
      }
      guarded_change.expected_version = version;
      auto written = write({std::move(guarded_change)}, call);
      if (written || written.error().code != ErrorCode::conflict) return written;
    }
    return fail(ErrorCode::conflict, "the key is changed all the time");
  }

  Result<void> erase_all(const CallOptions& call) {
    usage.recount();
    return guarded([&] { return options.store->erase_namespace(name_space, call); });
  }

  void tell(EventKind kind, std::vector<EventField> fields) const {
    if (!options.observer) return;
    (void)guarded([&]() -> Result<void> {
      options.observer->on_event({kind, options.session_id, std::move(fields)});
      return {};
    });
  }

  /// The result of an access, once the observer has heard of it.
  template <class T>
  Result<T> observed(std::string_view operation, std::string_view key, const std::optional<std::string>& agent,
                     Result<T> result) const {
    const auto error = result ? std::string_view() : to_string(result.error().code);
    tell(EventKind::context_access, {{"operation", operation},
                                     {"key", key},
                                     {"agent", agent ? std::string_view(*agent) : std::string_view()},
                                     {"error", error}});
    return result;
  }

  Result<void> check_access(const std::optional<std::string>& agent, std::string_view key, Access needed) const {
    if (auto checked = check_key(key); !checked) return checked;
    if (!agent) return {};
    if (access_of(options.rules, *agent, key) < needed) {
      return fail(ErrorCode::denied, "the key is closed to this agent by an access rule");
    }
    return {};
  }

  Result<std::vector<KeyInfo>> list_readable(const std::optional<std::string>& agent, std::string_view prefix,
                                             std::string_view after_key, std::size_t limit,
                                             const CallOptions& call) const {
    std::vector<KeyInfo> readable;
    std::string after(after_key);
    while (readable.size() < limit) {
      const auto wanted = std::min(limit - readable.size(), page_size);
      auto page = list(prefix, after, wanted, call);
      if (!page) return page;
      for (auto& info : *page) {
        after = info.key;
        if (!agent || access_of(options.rules, *agent, info.key) != Access::none) readable.push_back(std::move(info));
      }
      if (page->size() < wanted) break;
    }
    return readable;
  }

  void note_refetch(std::string_view key, ArtifactType type) {
    {
      const std::scoped_lock lock(mutex);
      ++refetches[std::string(name_of(type))];
    }
    tell(EventKind::context_refetch, {{"key", key}, {"kind", name_of(type)}});
  }

  /// Stores an artifact's content once, under the lowest of its trust labels.
  Result<void> keep(const std::string& key, const Artifact& artifact, const CallOptions& call) {
    const EntryLabel label{artifact.trust, Mutability::read_only, artifact.artifact_type};
    for (int race = 0; race < max_races; ++race) {
      const auto loaded = load(key, call);
      if (!loaded) return tl::unexpected(loaded.error());
      if (*loaded && ((*loaded)->entry.trust == Trust::untrusted || artifact.trust == Trust::trusted)) return {};
      if (auto room = charge(key, artifact.content.size(), call); !room) return room;
      const auto version = *loaded ? (*loaded)->entry.version : 0;
      const auto written = write({{store_key(key), encode_entry(label, artifact.content), {}, version}}, call);
      if (written) return {};
      if (written.error().code != ErrorCode::conflict) return tl::unexpected(written.error());
    }
    return fail(ErrorCode::conflict, "the key is changed all the time");
  }
};

ContextStore::ContextStore(std::shared_ptr<Impl> impl, std::optional<std::string> agent)
    : impl_(std::move(impl)), agent_(std::move(agent)) {}

ContextStore::~ContextStore() = default;

Result<std::shared_ptr<ContextStore>> ContextStore::open(ContextStoreOptions options, const CallOptions& call) {
  if (auto checked = check_options(options); !checked) return tl::unexpected(checked.error());
  auto impl = std::make_shared<Impl>(std::move(options));
  if (auto open = impl->observed<void>("open", {}, {}, impl->check_open(call)); !open) {
    return tl::unexpected(open.error());
  }
  return std::shared_ptr<ContextStore>(new ContextStore(std::move(impl), std::nullopt));
}

std::shared_ptr<ContextStore> ContextStore::as_agent(std::string agent) const {
  return std::shared_ptr<ContextStore>(new ContextStore(impl_, std::move(agent)));
}

const std::string& ContextStore::session_id() const { return impl_->options.session_id; }

Result<std::optional<ContextEntry>> ContextStore::get(std::string_view key, const CallOptions& call) const {
  return read_entry(key, Reading::first, call);
}

Result<std::optional<ContextEntry>> ContextStore::read_entry(std::string_view key, Reading reading,
                                                             const CallOptions& call) const {
  const auto read = [&]() -> Result<std::optional<ContextEntry>> {
    if (auto allowed = impl_->check_access(agent_, key, Access::read); !allowed) return tl::unexpected(allowed.error());
    auto loaded = impl_->load(key, call);
    if (!loaded) return tl::unexpected(loaded.error());
    if (!*loaded) return std::nullopt;
    if ((*loaded)->left_out && reading == Reading::first) impl_->note_refetch(key, *(*loaded)->left_out);
    return std::move((*loaded)->entry);
  };
  return impl_->observed("get", key, agent_, read());
}

Result<std::uint64_t> ContextStore::set(std::string_view key, std::string value, const ContextSetOptions& options,
                                        const CallOptions& call) {
  const auto write = [&]() -> Result<std::uint64_t> {
    if (auto allowed = impl_->check_access(agent_, key, Access::read_write); !allowed) {
      return tl::unexpected(allowed.error());
    }
    if (key.starts_with(artifact_key_prefix)) return fail(ErrorCode::denied, "keys of artifacts are written by builds");
    if (value.size() > max_value_bytes - entry_label_bytes) return fail(ErrorCode::limit_exceeded, "value over 16 MiB");
    if (auto room = impl_->charge(key, value.size(), call); !room) return tl::unexpected(room.error());
    const EntryLabel label{options.trust, options.mutability, {}};
    return impl_->change(key, {{}, encode_entry(label, value), options.ttl, options.expected_version},
                         agent_.has_value(), call);
  };
  return impl_->observed("set", key, agent_, write());
}

Result<void> ContextStore::erase(std::string_view key, const CallOptions& call) {
  const auto remove = [&]() -> Result<void> {
    if (auto allowed = impl_->check_access(agent_, key, Access::read_write); !allowed) return allowed;
    const auto erased = impl_->change(key, {}, agent_.has_value(), call);
    if (!erased) return tl::unexpected(erased.error());
    impl_->usage.recount();
    return {};
  };
  return impl_->observed("erase", key, agent_, remove());
}

Result<std::vector<KeyInfo>> ContextStore::list(std::string_view prefix, std::string_view after_key, std::size_t limit,
                                                const CallOptions& call) const {
  const auto read = [&]() -> Result<std::vector<KeyInfo>> {
    if (std::max(prefix.size(), after_key.size()) > max_context_key_bytes) {
      return fail(ErrorCode::limit_exceeded, "prefix or after_key over 512 bytes");
    }
    if (auto open = impl_->check_open(call); !open) return tl::unexpected(open.error());
    return impl_->list_readable(agent_, prefix, after_key, limit, call);
  };
  return impl_->observed("list", prefix, agent_, read());
}

Result<std::vector<ContextHit>> ContextStore::search(std::string_view words, std::size_t limit,
                                                     std::string_view key_prefix, const CallOptions& call) const {
  const auto run = [&]() -> Result<std::vector<ContextHit>> {
    if (key_prefix.size() > max_context_key_bytes) return fail(ErrorCode::limit_exceeded, "prefix over 512 bytes");
    if (auto open = impl_->check_open(call); !open) return tl::unexpected(open.error());
    const auto values = load_all(key_prefix, call);
    if (!values) return tl::unexpected(values.error());
    return best_passages(*values, words, limit);
  };
  return impl_->observed("search", key_prefix, agent_, run());
}

Result<std::vector<Artifact>> ContextStore::load_all(std::string_view key_prefix, const CallOptions& call) const {
  const auto keys = impl_->list_readable(agent_, key_prefix, {}, max_searched_keys, call);
  if (!keys) return tl::unexpected(keys.error());
  std::vector<Artifact> values;
  std::size_t bytes = 0;
  for (std::size_t first = 0; first < keys->size() && bytes < max_searched_bytes;) {
    std::vector<std::string> names;
    std::size_t i = first;
    for (; i < keys->size() && names.size() < searched_at_once && bytes < max_searched_bytes; ++i) {
      names.push_back(store_key((*keys)[i].key));
      bytes += (*keys)[i].value_bytes;
    }
    auto read = impl_->read(names, call);
    if (!read) return tl::unexpected(read.error());
    for (std::size_t j = 0; j < read->size(); ++j) {
      auto loaded = Impl::decode(std::move((*read)[j]));
      if (!loaded || !*loaded) continue;  // gone or damaged: the others can still be searched
      Artifact value;
      value.artifact_id = (*keys)[first + j].key;
      value.content = std::move((*loaded)->entry.value);
      value.trust = (*loaded)->entry.trust;
      values.push_back(std::move(value));
    }
    first = i;
  }
  return values;
}

std::vector<ContextHit> ContextStore::best_passages(const std::vector<Artifact>& values, std::string_view words,
                                                    std::size_t limit) const {
  std::vector<ContextHit> found;
  const auto ranked = impl_->retriever.rank(values, words, {}, hits_per_value);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto& content = values[i].content;
    for (const auto& hit : ranked[i].hits) {
      if (hit.score <= 0 || hit.span.offset >= content.size()) continue;
      auto text = content.substr(hit.span.offset, hit.span.length);
      if (text.size() > max_hit_bytes) text.resize(utf8::floor_boundary(text, max_hit_bytes));
      const auto before = std::string_view(content).substr(0, hit.span.offset);
      found.push_back({values[i].artifact_id, before.size(), utf8::count_code_points(before), std::move(text),
                       hit.score, values[i].trust});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  found.resize(std::min(found.size(), limit));
  return found;
}

Result<void> ContextStore::check_host() const {
  if (agent_) return fail(ErrorCode::denied, "only the host may do this");
  return {};
}

Result<void> ContextStore::clear(const CallOptions& call) {
  const auto run = [&]() -> Result<void> {
    if (auto host = check_host(); !host) return host;
    if (auto open = impl_->check_open(call); !open) return open;
    return impl_->erase_all(call);
  };
  return impl_->observed("clear", {}, agent_, run());
}

Result<void> ContextStore::archive(const CallOptions& call) {
  const auto run = [&]() -> Result<void> {
    if (auto host = check_host(); !host) return host;
    const auto written = impl_->write({{std::string(archived_mark), "1", {}, {}}}, call);
    if (!written) return tl::unexpected(written.error());
    return {};
  };
  return impl_->observed("archive", {}, agent_, run());
}

Result<void> ContextStore::restore(const ContextStoreOptions& options, const CallOptions& call) {
  if (auto checked = check_options(options); !checked) return checked;
  const Impl impl(options);
  const auto written = impl.write({{std::string(archived_mark), {}, {}, {}}}, call);
  return impl.observed<void>("restore", {}, {}, written ? Result<void>() : tl::unexpected(written.error()));
}

Result<void> ContextStore::destroy(const CallOptions& call) {
  const auto run = [&]() -> Result<void> {
    if (auto host = check_host(); !host) return host;
    return impl_->erase_all(call);
  };
  return impl_->observed("destroy", {}, agent_, run());
}

Result<std::string> ContextStore::keep(const Artifact& artifact, const CallOptions& call) {
  const auto key = std::string(artifact_key_prefix) + content_hash(artifact);
  const auto kept = impl_->observed("keep", key, agent_, impl_->keep(key, artifact, call));
  if (!kept) return tl::unexpected(kept.error());
  return "get_context(\"" + key + "\")";
}

std::map<std::string, std::int64_t> ContextStore::refetches() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->refetches;
}

}  // namespace ctxmgr
