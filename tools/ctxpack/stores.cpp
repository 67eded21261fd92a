#include "stores.hpp"

#include <filesystem>
#include <utility>

#ifdef CTXPACK_WITH_SQLITE
#include "ctxmgr/adapters/sqlite_stores.hpp"
#endif
#ifdef CTXPACK_WITH_REDIS
#include "ctxmgr/adapters/redis_key_value_store.hpp"
#endif
#ifdef CTXPACK_WITH_SQL
#include "ctxmgr/adapters/sql_conversation_store.hpp"
#endif

namespace ctxpack {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;

/// URLs may hold a password: errors name the kind only.
tl::unexpected<ctxmgr::Error> unusable(const std::string& url, const char* what) {
  const auto kind = url.substr(0, url.find(':'));
  return fail(ErrorCode::invalid_argument, "--store " + kind + ": " + what);
}

template <class Store, class Made>
Result<std::shared_ptr<Store>> shared(Made made) {
  if (!made) return tl::unexpected(made.error());
  return std::shared_ptr<Store>(std::move(*made));
}

#ifdef CTXPACK_WITH_SQLITE
Result<ctxmgr::SqliteOptions> sqlite_options(const std::string& url, MissingFile missing) {
  ctxmgr::SqliteOptions options;
  options.path = url.substr(7);
  std::error_code ignored;
  if (missing == MissingFile::refuse && !std::filesystem::exists(options.path, ignored))
    return fail(ErrorCode::not_found, options.path + ": there is no such file");
  if (std::filesystem::is_directory(options.path, ignored))
    return fail(ErrorCode::invalid_argument, "--store " + url + ": it is a folder, and a file is needed");
  const auto folder = std::filesystem::path(options.path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    return fail(ErrorCode::invalid_argument, "--store " + url + ": there is no folder " + folder.string());
  return options;
}
#endif

}  // namespace

Result<std::shared_ptr<ctxmgr::KeyValueStore>> open_key_value_store(const std::string& url, MissingFile missing) {
  if (url.starts_with("sqlite:")) {
#ifdef CTXPACK_WITH_SQLITE
    const auto options = sqlite_options(url, missing);
    if (!options) return tl::unexpected(options.error());
    return shared<ctxmgr::KeyValueStore>(ctxmgr::make_sqlite_key_value_store(*options));
#else
    return unusable(url, "this ctxpack was built without SQLite (CTXMGR_WITH_SQLITE)");
#endif
  }
  if (url.starts_with("redis://") || url.starts_with("rediss://")) {
#ifdef CTXPACK_WITH_REDIS
    ctxmgr::RedisOptions options;
    options.url = url;
    return shared<ctxmgr::KeyValueStore>(ctxmgr::make_redis_key_value_store(options));
#else
    return unusable(url, "this ctxpack was built without Redis (CTXMGR_WITH_REDIS)");
#endif
  }
  if (url.starts_with("postgresql://") || url.starts_with("mysql://"))
    return unusable(url, "holds threads only; expected sqlite:PATH or redis://host:port/db");
  return unusable(url, "expected sqlite:PATH or redis://host:port/db");
}

Result<std::shared_ptr<ctxmgr::ConversationStore>> open_conversation_store(const std::string& url,
                                                                           MissingFile missing) {
  if (url.starts_with("sqlite:")) {
#ifdef CTXPACK_WITH_SQLITE
    const auto options = sqlite_options(url, missing);
    if (!options) return tl::unexpected(options.error());
    return shared<ctxmgr::ConversationStore>(ctxmgr::make_sqlite_conversation_store(*options));
#else
    return unusable(url, "this ctxpack was built without SQLite (CTXMGR_WITH_SQLITE)");
#endif
  }
  if (url.starts_with("postgresql://") || url.starts_with("mysql://")) {
#ifdef CTXPACK_WITH_SQL
    ctxmgr::SqlOptions options;
    options.url = url;
    return shared<ctxmgr::ConversationStore>(ctxmgr::make_sql_conversation_store(options));
#else
    return unusable(url, "this ctxpack was built without SQL servers (CTXMGR_WITH_SQL)");
#endif
  }
  if (url.starts_with("redis")) return unusable(url, "holds keys, not threads");
  return unusable(url, "expected sqlite:PATH, postgresql://… or mysql://…");
}

Result<std::shared_ptr<ctxmgr::ContextStore>> open_session(const std::string& url, const std::string& session_id,
                                                           MissingFile missing) {
  auto store = open_key_value_store(url, missing);
  if (!store) return tl::unexpected(store.error());
  ctxmgr::ContextStoreOptions options;
  options.session_id = session_id;
  options.store = std::move(*store);
  return ctxmgr::ContextStore::open(std::move(options));
}

}  // namespace ctxpack
