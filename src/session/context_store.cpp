#include "ctxmgr/session/context_store.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/enum_tables.hpp"
#include "core/utf8.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ports/guarded.hpp"
#include "session/access_rules.hpp"
#include "session/entry_label.hpp"
#include "session/session_entries.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t page_size = 1'000;

constexpr std::size_t max_searched_keys = 2'000;
constexpr std::size_t max_searched_bytes = std::size_t{32} << 20;
constexpr std::size_t searched_at_once = 32;
constexpr std::size_t hits_per_value = 3;
constexpr std::size_t max_hit_bytes = 600;
constexpr std::size_t search_cache_bytes = std::size_t{16} << 20;

Result<void> check_options(const ContextStoreOptions& options) {
  if (!options.store) return fail(ErrorCode::invalid_argument, "a session needs a store");
  if (options.session_id.empty()) return fail(ErrorCode::invalid_argument, "empty session id");
  if (options.session_id.size() > max_session_id_bytes) {
    return fail(ErrorCode::limit_exceeded, "session id over 128 bytes");
  }
  return {};
}

Result<void> check_context_key(std::string_view key) {
  if (key.empty()) return fail(ErrorCode::invalid_argument, "empty key");
  if (key.size() > max_context_key_bytes) return fail(ErrorCode::limit_exceeded, "key over 512 bytes");
  return {};
}

std::string key_of_content(const Artifact& artifact) {
  return std::string(artifact_key_prefix) + content_hash(artifact).substr(0, artifact_key_digits);
}

std::vector<ContextHit> best_passages(const Retriever& retriever, const std::vector<Artifact>& values,
                                      std::string_view words, std::size_t limit) {
  std::vector<ContextHit> found;
  const auto ranked = retriever.rank(values, words, {}, hits_per_value);
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

}  // namespace

struct ContextStore::Impl {
  explicit Impl(ContextStoreOptions given)
      : options(std::move(given)), entries(options.store, options.session_id, options.max_bytes) {}

  const ContextStoreOptions options;
  SessionEntries entries;
  const Retriever retriever{search_cache_bytes};
  mutable std::mutex mutex;
  std::map<std::string, std::int64_t> refetches;

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
    if (auto checked = check_context_key(key); !checked) return checked;
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
      auto page = entries.list(prefix, after, wanted, call);
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
      ++refetches[std::string(enum_name(type))];
    }
    tell(EventKind::context_refetch, {{"key", key}, {"kind", enum_name(type)}});
  }

  /// The values under a prefix that an agent may read, as far as they are searched.
  Result<std::vector<Artifact>> load_all(const std::optional<std::string>& agent, std::string_view key_prefix,
                                         const CallOptions& call) const {
    const auto keys = list_readable(agent, key_prefix, {}, max_searched_keys, call);
    if (!keys) return tl::unexpected(keys.error());
    std::vector<Artifact> values;
    std::size_t bytes = 0;
    for (std::size_t next = 0; next < keys->size() && bytes < max_searched_bytes;) {
      std::vector<std::string> some;
      for (; next < keys->size() && some.size() < searched_at_once && bytes < max_searched_bytes; ++next) {
        some.push_back((*keys)[next].key);
        bytes += (*keys)[next].value_bytes;
      }
      auto loaded = entries.load_some(some, call);
      if (!loaded) return tl::unexpected(loaded.error());
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (!(*loaded)[i]) continue;  // the others can still be searched
        Artifact value;
        value.artifact_id = std::move(some[i]);
        value.content = std::move((*loaded)[i]->entry.value);
        value.trust = (*loaded)[i]->entry.trust;
        values.push_back(std::move(value));
      }
    }
    return values;
  }
};

ContextStore::ContextStore(std::shared_ptr<Impl> impl, std::optional<std::string> agent)
    : impl_(std::move(impl)), agent_(std::move(agent)) {}

ContextStore::~ContextStore() = default;

Result<std::shared_ptr<ContextStore>> ContextStore::open(ContextStoreOptions options, const CallOptions& call) {
  if (auto checked = check_options(options); !checked) return tl::unexpected(checked.error());
  auto impl = std::make_shared<Impl>(std::move(options));
  if (auto open = impl->observed<void>("open", {}, {}, impl->entries.check_open(call)); !open) {
    return tl::unexpected(open.error());
  }
  return std::shared_ptr<ContextStore>(new ContextStore(std::move(impl), std::nullopt));
}

std::shared_ptr<ContextStore> ContextStore::as_agent(std::string agent) const {
  return std::shared_ptr<ContextStore>(new ContextStore(impl_, std::move(agent)));
}

const std::string& ContextStore::session_id() const { return impl_->options.session_id; }

Result<std::optional<ContextEntry>> ContextStore::get(std::string_view key, const CallOptions& call) const {
  return read_entry(key, true, call);
}

Result<std::optional<ContextEntry>> ContextStore::read_entry(std::string_view key, bool is_first_page,
                                                             const CallOptions& call) const {
  const auto read = [&]() -> Result<std::optional<ContextEntry>> {
    if (auto allowed = impl_->check_access(agent_, key, Access::read); !allowed) return tl::unexpected(allowed.error());
    auto loaded = impl_->entries.load(key, call);
    if (!loaded) return tl::unexpected(loaded.error());
    if (!*loaded) return std::nullopt;
    if ((*loaded)->left_out && is_first_page) impl_->note_refetch(key, *(*loaded)->left_out);
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
    return impl_->entries.set(key, value, options, agent_.has_value(), call);
  };
  return impl_->observed("set", key, agent_, write());
}

Result<void> ContextStore::erase(std::string_view key, const CallOptions& call) {
  const auto remove = [&]() -> Result<void> {
    if (auto allowed = impl_->check_access(agent_, key, Access::read_write); !allowed) return allowed;
    return impl_->entries.erase(key, agent_.has_value(), call);
  };
  return impl_->observed("erase", key, agent_, remove());
}

Result<std::vector<KeyInfo>> ContextStore::list(std::string_view prefix, std::string_view after_key, std::size_t limit,
                                                const CallOptions& call) const {
  const auto read = [&]() -> Result<std::vector<KeyInfo>> {
    if (std::max(prefix.size(), after_key.size()) > max_context_key_bytes) {
      return fail(ErrorCode::limit_exceeded, "prefix or after_key over 512 bytes");
    }
    if (auto open = impl_->entries.check_open(call); !open) return tl::unexpected(open.error());
    return impl_->list_readable(agent_, prefix, after_key, limit, call);
  };
  return impl_->observed("list", prefix, agent_, read());
}

Result<std::vector<ContextHit>> ContextStore::search(std::string_view words, std::size_t limit,
                                                     std::string_view key_prefix, const CallOptions& call) const {
  const auto run = [&]() -> Result<std::vector<ContextHit>> {
    if (key_prefix.size() > max_context_key_bytes) return fail(ErrorCode::limit_exceeded, "prefix over 512 bytes");
    if (auto open = impl_->entries.check_open(call); !open) return tl::unexpected(open.error());
    const auto values = impl_->load_all(agent_, key_prefix, call);
    if (!values) return tl::unexpected(values.error());
    return best_passages(impl_->retriever, *values, words, limit);
  };
  return impl_->observed("search", key_prefix, agent_, run());
}

Result<void> ContextStore::check_host() const {
  if (agent_) return fail(ErrorCode::denied, "only the host may do this");
  return {};
}

Result<void> ContextStore::clear(const CallOptions& call) {
  const auto run = [&]() -> Result<void> {
    if (auto host = check_host(); !host) return host;
    if (auto open = impl_->entries.check_open(call); !open) return open;
    return impl_->entries.erase_all(call);
  };
  return impl_->observed("clear", {}, agent_, run());
}

Result<void> ContextStore::archive(const CallOptions& call) {
  const auto run = [&]() -> Result<void> {
    if (auto host = check_host(); !host) return host;
    return impl_->entries.archive(call);
  };
  return impl_->observed("archive", {}, agent_, run());
}

Result<void> ContextStore::restore(const ContextStoreOptions& options, const CallOptions& call) {
  if (auto checked = check_options(options); !checked) return checked;
  Impl impl(options);
  return impl.observed<void>("restore", {}, {}, impl.entries.restore(call));
}

Result<void> ContextStore::destroy(const CallOptions& call) {
  const auto run = [&]() -> Result<void> {
    if (auto host = check_host(); !host) return host;
    return impl_->entries.erase_all(call);
  };
  return impl_->observed("destroy", {}, agent_, run());
}

std::string ContextStore::reference_of(const Artifact& artifact) const {
  return "get_context(\"" + key_of_content(artifact) + "\")";
}

Result<std::string> ContextStore::keep(const Artifact& artifact, const CallOptions& call) {
  return keep_all({&artifact}, call).front();
}

std::vector<Result<std::string>> ContextStore::keep_all(const std::vector<const Artifact*>& artifacts,
                                                        const CallOptions& call) {
  std::vector<SessionEntries::Kept> kept;
  kept.reserve(artifacts.size());
  for (const auto* artifact : artifacts) kept.push_back({key_of_content(*artifact), artifact});
  auto results = impl_->entries.keep(kept, call);
  std::vector<Result<std::string>> references;
  references.reserve(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto result = impl_->observed("keep", kept[i].key, agent_, std::move(results[i]));
    references.push_back(result ? Result<std::string>("get_context(\"" + kept[i].key + "\")")
                                : tl::unexpected(result.error()));
  }
  return references;
}

std::map<std::string, std::int64_t> ContextStore::refetches() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->refetches;
}

}  // namespace ctxmgr
