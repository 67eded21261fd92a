// The SQLite store beside bare prepared statements on the same table, with the same settings, in one run.
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "side_by_side.hpp"

namespace {

constexpr int key_count = 1'000;

/// A bench of what fails would be a fast one.
void must(bool done) {
  if (!done) std::abort();
}

std::string key_of(int i) { return "key-" + std::to_string(i % key_count); }

/// A file of its own in CTXMGR_BENCH_DIR, or the present directory: where it lies decides what a write costs.
class File {
 public:
  File() {
    const char* directory = std::getenv("CTXMGR_BENCH_DIR");
    path_ = std::string(directory ? directory : ".") + "/bench-" + std::to_string(::getpid()) + ".db";
  }
  ~File() {
    for (const auto* suffix : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::unique_ptr<ctxmgr::KeyValueStore> open_store(const File& file) {
  ctxmgr::SqliteOptions options;
  options.path = file.path();
  return ctxmgr::make_sqlite_key_value_store(options).value();
}

void fill(ctxmgr::KeyValueStore& store, std::size_t bytes) {
  std::vector<ctxmgr::KeyValueWrite> changes;
  for (int i = 0; i < key_count; ++i) changes.push_back({key_of(i), std::string(bytes, 'v'), {}, {}});
  (void)store.write("n", changes, {});
}

/// What a program without us would write: a connection and its statements.
class Bare {
 public:
  explicit Bare(const File& file) {
    sqlite3_open_v2(file.path().c_str(), &connection_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    const char* settings =
        sqlite3_libversion_number() >= 3'051'003
            ? "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA cell_size_check=ON"
            : "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA "
              "cell_size_check=ON";
    sqlite3_exec(connection_, settings, nullptr, nullptr, nullptr);
    get_ = prepare("SELECT value, version, expires_at FROM kv WHERE name_space = ?1 AND key = ?2");
    set_ = prepare(
        "INSERT INTO kv (name_space, key, version, expires_at, checksum, value) VALUES (?1, ?2, 1, NULL, 0, ?3)"
        " ON CONFLICT (name_space, key) DO UPDATE SET value = excluded.value, version = version + 1");
  }
  ~Bare() {
    sqlite3_finalize(get_);
    sqlite3_finalize(set_);
    sqlite3_close(connection_);
  }

  std::string get(const std::string& key) {
    bind(get_, key);
    std::string value;
    if (sqlite3_step(get_) == SQLITE_ROW) {
      value.assign(static_cast<const char*>(sqlite3_column_blob(get_, 0)),
                   static_cast<std::size_t>(sqlite3_column_bytes(get_, 0)));
    }
    sqlite3_reset(get_);
    return value;
  }

  bool set(const std::string& key, const std::string& value) {
    bind(set_, key);
    sqlite3_bind_blob(set_, 3, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    const bool done = sqlite3_step(set_) == SQLITE_DONE;
    sqlite3_reset(set_);
    return done;
  }

 private:
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(connection_, sql, -1, &statement, nullptr);
    return statement;
  }
  static void bind(sqlite3_stmt* statement, const std::string& key) {
    sqlite3_bind_blob(statement, 1, "n", 1, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 2, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
  }

  sqlite3* connection_ = nullptr;
  sqlite3_stmt* get_ = nullptr;
  sqlite3_stmt* set_ = nullptr;
};

void compare_with_values_of(std::size_t bytes) {
  const File file;
  const auto store = open_store(file);
  fill(*store, bytes);
  Bare bare(file);
  const std::string value(bytes, 'w');
  int i = 0;
  const auto name = std::to_string(bytes) + " B";
  ctxmgr::bench::compare(
      "get " + name, {300, 20}, [&] { must(bare.get(key_of(++i)).size() == bytes); },
      [&] { must(store->read("n", {key_of(++i)}, {}).value()[0]->value.size() == bytes); });
  // Each write waits for the disk.
  ctxmgr::bench::compare(
      "set " + name, {20, 2}, [&] { must(bare.set(key_of(++i), value)); },
      [&] {
        must(store->write("n", {{key_of(++i), value, {}, {}}}, {}).has_value());
      });
}

}  // namespace

int main() {
  std::printf("SQLite %s\n", sqlite3_libversion());
  for (const auto bytes : {100, 4'000, 100'000}) compare_with_values_of(static_cast<std::size_t>(bytes));
}
