#include <algorithm>
#include <utility>

#include "adapters/sqlite/checksum.hpp"
#include "adapters/sqlite/database.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ports/key_value_checks.hpp"

namespace ctxmgr {
namespace {

using sqlite::Database;
using sqlite::Mode;
using sqlite::Transaction;

constexpr std::int64_t max_page = 1'000'000;

constexpr std::string_view select_row =
    "SELECT version, expires_at, checksum, value FROM kv WHERE name_space = ?1 AND key = ?2";
constexpr std::string_view select_version =
    "SELECT version FROM kv WHERE name_space = ?1 AND key = ?2 AND (expires_at IS NULL OR expires_at > ?3)";
constexpr std::string_view select_page =
    "SELECT key, length(value) FROM kv WHERE name_space = ?1 AND key >= ?2 AND key < ?3"
    " AND (expires_at IS NULL OR expires_at > ?4) ORDER BY key LIMIT ?5";
constexpr std::string_view reserve_versions =
    "UPDATE kv_counter SET last_version = last_version + ?1 RETURNING last_version";
constexpr std::int64_t versions_at_once = 1'024;
constexpr std::string_view upsert =
    "INSERT INTO kv (name_space, key, version, expires_at, checksum, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    " ON CONFLICT (name_space, key) DO UPDATE SET version = excluded.version, expires_at = excluded.expires_at,"
    " checksum = excluded.checksum, value = excluded.value";
constexpr std::string_view delete_row = "DELETE FROM kv WHERE name_space = ?1 AND key = ?2";
constexpr std::string_view delete_namespace = "DELETE FROM kv WHERE name_space = ?1";
// A few at a time, by those who write such keys: nobody pays for the whole of a long neglect.
constexpr std::string_view delete_expired =
    "DELETE FROM kv WHERE rowid IN (SELECT rowid FROM kv WHERE expires_at <= ?1 LIMIT 100)";

std::int64_t checksum(std::string_view name_space, std::string_view key, std::int64_t version,
                      std::optional<std::int64_t> expires_at, std::string_view value) {
  return sqlite::RowChecksum()
      .add(name_space)
      .add(key)
      .add(static_cast<std::uint64_t>(version))
      .add(static_cast<std::uint64_t>(expires_at.value_or(0)))
      .add(value)
      .value();
}

/// The first key that a listing may give, and the first that it may not.
std::pair<std::string, std::string> bounds(std::string_view prefix, std::string_view after_key) {
  std::string first(after_key < prefix ? prefix : after_key);
  if (after_key >= prefix) first.push_back('\0');  // the next string in byte order
  std::string past(prefix);
  while (!past.empty() && past.back() == '\xff') past.pop_back();
  if (past.empty()) return {std::move(first), std::string(max_key_bytes + 1, '\xff')};
  past.back() = static_cast<char>(past.back() + 1);
  return {std::move(first), std::move(past)};
}

Result<std::optional<StoredValue>> read_one(Transaction& transaction, std::string_view name_space, std::string_view key,
                                            std::int64_t now) {
  auto select = transaction.prepare(select_row);
  const auto row = select.bind(1, name_space).bind(2, key).step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  const auto version = select.integer(0);
  const auto expires_at = select.is_null(1) ? std::nullopt : std::optional(select.integer(1));
  const auto value = select.blob(3);
  if (select.integer(2) != checksum(name_space, key, version, expires_at, value)) {
    return fail(ErrorCode::bad_data, "sqlite: a stored value is damaged");
  }
  if (expires_at && *expires_at <= now) return std::nullopt;
  return StoredValue{std::string(value), static_cast<std::uint64_t>(version)};
}

Result<void> check_expected(Transaction& transaction, std::string_view name_space, const KeyValueWrite& change,
                            std::int64_t now) {
  auto select = transaction.prepare(select_version);
  const auto row = select.bind(1, name_space).bind(2, change.key).bind(3, now).step();
  if (!row) return tl::unexpected(row.error());
  const auto version = *row ? static_cast<std::uint64_t>(select.integer(0)) : 0;
  if (version != *change.expected_version) return fail(ErrorCode::conflict, "version changed");
  return {};
}

Result<void> apply(Transaction& transaction, std::string_view name_space, const KeyValueWrite& change,
                   std::int64_t version, std::int64_t now) {
  if (!change.value) return transaction.prepare(delete_row).bind(1, name_space).bind(2, change.key).run();
  const auto expires_at = change.ttl ? std::optional(now + capped_ttl(*change.ttl).count()) : std::nullopt;
  return transaction.prepare(upsert)
      .bind(1, name_space)
      .bind(2, change.key)
      .bind(3, version)
      .bind(4, expires_at)
      .bind(5, checksum(name_space, change.key, version, expires_at, *change.value))
      .bind(6, *change.value)
      .run();
}

/// Versions that are this store's alone, so that not every write has to change the counter. What a store does not use is
/// lost, never used again.
struct Versions {
  std::int64_t next = 0;
  std::int64_t left = 0;

  Result<void> refill(Transaction& transaction) {
    auto update = transaction.prepare(reserve_versions);
    const auto row = update.bind(1, versions_at_once).step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return fail(ErrorCode::bad_data, "sqlite: the version counter is missing");
    next = update.integer(0) - versions_at_once + 1;
    left = versions_at_once;
    return update.run();  // to its end, so that it may commit
  }
};

class SqliteKeyValueStore final : public KeyValueStore {
 public:
  explicit SqliteKeyValueStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    if (auto checked = check_read(name_space, keys); !checked) return tl::unexpected(checked.error());
    auto transaction = database_->begin(keys.size() == 1 ? Mode::statement : Mode::read, call);
    if (!transaction) return tl::unexpected(transaction.error());
    const auto now = transaction->now_ms();
    std::vector<std::optional<StoredValue>> values;
    values.reserve(keys.size());
    for (const auto& key : keys) {
      auto value = read_one(*transaction, name_space, key, now);
      if (!value) return tl::unexpected(value.error());
      values.push_back(*std::move(value));
    }
    return values;
  }

  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (auto checked = check_write(name_space, changes); !checked) return tl::unexpected(checked.error());
    auto transaction = database_->begin(Mode::write, call);
    if (!transaction) return tl::unexpected(transaction.error());
    const auto now = transaction->now_ms();
    for (const auto& change : changes) {
      if (!change.expected_version) continue;
      if (auto ok = check_expected(*transaction, name_space, change, now); !ok) return tl::unexpected(ok.error());
    }
    auto versions = versions_;  // kept once the write is
    if (versions.left == 0) {
      if (auto refilled = versions.refill(*transaction); !refilled) return tl::unexpected(refilled.error());
    }
    const auto version = versions.next++;
    --versions.left;
    bool expiring = false;
    for (const auto& change : changes) {
      expiring |= change.ttl.has_value();
      if (auto done = apply(*transaction, name_space, change, version, now); !done) {
        return tl::unexpected(done.error());
      }
    }
    if (expiring) {
      if (auto done = transaction->prepare(delete_expired).bind(1, now).run(); !done)
        return tl::unexpected(done.error());
    }
    if (auto done = transaction->commit(); !done) return tl::unexpected(done.error());
    versions_ = versions;
    return static_cast<std::uint64_t>(version);
  }

  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    if (auto checked = check_list(name_space, prefix, after_key); !checked) return tl::unexpected(checked.error());
    auto transaction = database_->begin(Mode::statement, call);
    if (!transaction) return tl::unexpected(transaction.error());
    const auto [first, past] = bounds(prefix, after_key);
    const auto page = std::min<std::uint64_t>(limit, max_page);
    auto select = transaction->prepare(select_page);
    select.bind(1, name_space)
        .bind(2, first)
        .bind(3, past)
        .bind(4, transaction->now_ms())
        .bind(5, static_cast<std::int64_t>(page));
    std::vector<KeyInfo> listed;
    while (true) {
      const auto row = select.step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) return listed;
      listed.push_back({std::string(select.blob(0)), static_cast<std::size_t>(select.integer(1))});
    }
  }

  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    if (auto checked = check_namespace(name_space); !checked) return checked;
    {
      auto transaction = database_->begin(Mode::write, call);
      if (!transaction) return tl::unexpected(transaction.error());
      if (auto done = transaction->prepare(delete_namespace).bind(1, name_space).run(); !done) return done;
      if (auto done = transaction->commit(); !done) return done;
    }
    return database_->forget_log(call);
  }

 private:
  std::unique_ptr<Database> database_;
  Versions versions_;  // only within a write transaction
};

}  // namespace

Result<std::unique_ptr<KeyValueStore>> make_sqlite_key_value_store(const SqliteOptions& options) {
  auto database = Database::open(options);
  if (!database) return tl::unexpected(database.error());
  return std::make_unique<SqliteKeyValueStore>(*std::move(database));
}

}  // namespace ctxmgr
