#include "c/manager.hpp"

#include <string>
#include <utility>

#include "c/callbacks.hpp"
#include "c/requests.hpp"
#ifdef CTXMGR_C_WITH_BPE
#include "ctxmgr/adapters/bpe_encoding.hpp"
#endif
#ifdef CTXMGR_C_WITH_SQLITE
#include "ctxmgr/adapters/sqlite_stores.hpp"
#endif

namespace ctxmgr::c {
namespace {

using Store = std::shared_ptr<KeyValueStore>;

Result<Store> open_store(const std::string& name) {
  if (name.empty() || name == "memory") return Store(make_memory_key_value_store());
  constexpr std::string_view sqlite = "sqlite:";
  if (std::string_view(name).substr(0, sqlite.size()) != sqlite)
    return fail(ErrorCode::invalid_argument, "store: expected \"memory\" or \"sqlite:PATH\"");
#ifdef CTXMGR_C_WITH_SQLITE
  SqliteOptions options;
  options.path = name.substr(sqlite.size());
  auto store = make_sqlite_key_value_store(options);
  if (!store) return tl::unexpected(std::move(store.error()));
  return Store(std::move(*store));
#else
  return fail(ErrorCode::invalid_argument, "store: this library was built without SQLite");
#endif
}

std::vector<std::shared_ptr<TokenCounter>> own_counters() {
#ifdef CTXMGR_C_WITH_BPE
  return exact_counters();
#else
  return {};
#endif
}

/// A host's counter that serves any model is the only one: a built-in vocabulary would be preferred to it.
std::vector<std::shared_ptr<TokenCounter>> counters_of(const ctxmgr_callbacks& callbacks) {
  if (callbacks.count == nullptr) return own_counters();
  std::shared_ptr<TokenCounter> of_host = make_counter(callbacks);
  if (of_host->info().tokenizer.empty()) return {std::move(of_host)};
  auto counters = own_counters();
  counters.insert(counters.begin(), std::move(of_host));
  return counters;
}

}  // namespace

Result<std::unique_ptr<ctxmgr_manager>> make_manager(std::string_view text, const ctxmgr_callbacks& callbacks) {
  auto read = read_manager_options(text);
  if (!read) return tl::unexpected(std::move(read.error()));
  auto store = callbacks.store == nullptr ? open_store(read->store) : make_store(*callbacks.store);
  if (!store) return tl::unexpected(std::move(store.error()));
  ContextManagerOptions options;
  options.catalog = read->catalog;
  options.analysis_cache_bytes = read->analysis_cache_bytes;
  options.summary_ttl = read->summary_ttl;
  options.token_counters = counters_of(callbacks);
  if (callbacks.complete != nullptr) options.client = make_client(callbacks);
  if (callbacks.compaction != nullptr) options.compaction_hook = make_compaction_hook(callbacks);
  if (callbacks.store != nullptr) options.summary_store = *store;
  auto counters = options.token_counters;
  return std::unique_ptr<ctxmgr_manager>(
      new ctxmgr_manager{ContextManager(std::move(options)), read->catalog, std::move(counters), *store});
}

}  // namespace ctxmgr::c
