// Conversation stores beside the bare client libraries, and what a context of a long thread costs.
//
//   CTXMGR_TEST_POSTGRESQL_URL=… CTXMGR_TEST_MYSQL_URL=… workflow_bench
//
// The bare programs do what an application without a conversation store would: one insert in a transaction of its own,
// numbered by the database; one select. Servers without a URL are left out.
#include <benchmark/benchmark.h>
#include <soci/soci.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "ctxmgr/adapters/sql_conversation_store.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/ctxmgr.hpp"

namespace {

using namespace ctxmgr;

constexpr std::size_t page_rows = 1'000;
const std::string content(400, 'x');

std::string scratch(const std::string& name) {
  const auto path = std::filesystem::temp_directory_path() / ("ctxmgr_bench_" + name);
  for (const auto* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path.string() + suffix);
  return path.string();
}

std::unique_ptr<ConversationStore> sqlite_store(bool exclusive) {
  SqliteOptions options;
  options.path = scratch("threads.db");
  options.exclusive = exclusive;
  return std::move(*make_sqlite_conversation_store(options));
}

std::unique_ptr<ConversationStore> server_store(const char* variable) {
  const char* url = std::getenv(variable);
  if (!url) return nullptr;
  SqlOptions options;
  options.url = url;
  auto store = make_sql_conversation_store(options);
  return store ? std::move(*store) : nullptr;
}

void append_one(benchmark::State& state, std::unique_ptr<ConversationStore> store) {
  if (!store) return state.SkipWithError("no server");
  (void)store->erase("bench", {});
  for (auto _ : state) {
    if (!store->append("bench", {{Role::user, content}}, {}, {})) return state.SkipWithError("append failed");
  }
  state.SetItemsProcessed(state.iterations());
}

void load_page(benchmark::State& state, std::unique_ptr<ConversationStore> store) {
  if (!store) return state.SkipWithError("no server");
  (void)store->erase("bench", {});
  (void)store->append("bench", std::vector<ConversationMessage>(page_rows, {Role::user, content}), {}, {});
  for (auto _ : state) {
    if (store->load("bench", {}, {})->size() != page_rows) return state.SkipWithError("load failed");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(page_rows));
}

/// SQLite with nothing around it, as durable as the store: full synchronisation of a rollback journal.
class BareSqlite {
 public:
  BareSqlite() {
    sqlite3_open(scratch("bare.db").c_str(), &connection_);
    execute(
        "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;"
        "CREATE TABLE m (id INTEGER PRIMARY KEY, role TEXT, content TEXT)");
    sqlite3_prepare_v2(connection_, "INSERT INTO m (role, content) VALUES ('user', ?1)", -1, &insert_, nullptr);
    sqlite3_prepare_v2(connection_, "SELECT id, role, content FROM m ORDER BY id LIMIT 1000", -1, &select_, nullptr);
  }
  ~BareSqlite() {
    sqlite3_finalize(insert_);
    sqlite3_finalize(select_);
    sqlite3_close(connection_);
  }
  void execute(const char* sql) { sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr); }
  void insert() {
    sqlite3_bind_text(insert_, 1, content.data(), static_cast<int>(content.size()), SQLITE_STATIC);
    sqlite3_step(insert_);
    sqlite3_reset(insert_);
  }
  std::size_t select() {
    std::size_t bytes = 0;
    while (sqlite3_step(select_) == SQLITE_ROW) {
      const std::string text(reinterpret_cast<const char*>(sqlite3_column_text(select_, 2)));
      bytes += text.size();
    }
    sqlite3_reset(select_);
    return bytes;
  }

 private:
  sqlite3* connection_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
};

void bare_sqlite_append(benchmark::State& state) {
  BareSqlite bare;
  for (auto _ : state) bare.insert();
  state.SetItemsProcessed(state.iterations());
}

void bare_sqlite_load(benchmark::State& state) {
  BareSqlite bare;
  bare.execute("BEGIN");
  for (std::size_t i = 0; i < page_rows; ++i) bare.insert();
  bare.execute("COMMIT");
  for (auto _ : state) benchmark::DoNotOptimize(bare.select());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(page_rows));
}

/// scheme://user:password@host:port/database as the client libraries want it; no percent-encoding.
std::string parameters_of(const std::string& url) {
  const auto between = [&](const std::string& from, const std::string& to) {
    const auto begin = url.find(from) + from.size();
    return url.substr(begin, url.find(to, begin) - begin);
  };
  const std::string user = between("://", "@");
  const std::string host = between("@", "/");
  const auto colon = user.find(':');
  return "user='" + user.substr(0, colon) + "' password='" +
         (colon == std::string::npos ? "" : user.substr(colon + 1)) + "' host='" + host.substr(0, host.find(':')) +
         "' port='" + host.substr(host.find(':') + 1) + "' dbname='" + url.substr(url.rfind('/') + 1) + "'";
}

std::unique_ptr<soci::session> bare_session(const char* variable) {
  const char* value = std::getenv(variable);
  if (!value) return nullptr;
  const std::string url = value;
  const bool mysql = url.rfind("mysql", 0) == 0;
  auto session = std::make_unique<soci::session>(mysql ? "mysql" : "postgresql", parameters_of(url));
  *session << "DROP TABLE IF EXISTS ctxmgr_bench";
  *session << "CREATE TABLE ctxmgr_bench (id " << (mysql ? "BIGINT AUTO_INCREMENT" : "BIGSERIAL")
           << " PRIMARY KEY, role VARCHAR(16), content TEXT)";
  return session;
}

void bare_server_append(benchmark::State& state, const char* variable) {
  const auto session = bare_session(variable);
  if (!session) return state.SkipWithError("no server");
  const std::string role = "user";
  for (auto _ : state) {
    *session << "INSERT INTO ctxmgr_bench (role, content) VALUES (:role, :content)", soci::use(role),
        soci::use(content);
  }
  state.SetItemsProcessed(state.iterations());
  *session << "DROP TABLE ctxmgr_bench";
}

void bare_server_load(benchmark::State& state, const char* variable) {
  const auto session = bare_session(variable);
  if (!session) return state.SkipWithError("no server");
  const std::string role = "user";
  for (std::size_t i = 0; i < page_rows; ++i) {
    *session << "INSERT INTO ctxmgr_bench (role, content) VALUES (:role, :content)", soci::use(role),
        soci::use(content);
  }
  for (auto _ : state) {
    long long id = 0;
    std::string got_role, got_content;
    soci::statement select = (session->prepare << "SELECT id, role, content FROM ctxmgr_bench ORDER BY id LIMIT 1000",
                              soci::into(id), soci::into(got_role), soci::into(got_content));
    select.execute();
    while (select.fetch()) benchmark::DoNotOptimize(got_content.size());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(page_rows));
  *session << "DROP TABLE ctxmgr_bench";
}

/// The same budget on threads of very different length.
void context_for(benchmark::State& state) {
  WorkflowOptions options;
  options.workflow_id = "w";
  options.store = sqlite_store(true);
  auto workflow = *Workflow::open(options);
  std::vector<ConversationMessage> rows(static_cast<std::size_t>(state.range(0)), {Role::user, content});
  rows.front().role = Role::system;
  (void)workflow.append(rows);
  AgentTurn turn;
  turn.agent = "a";
  turn.messages = {{Role::user, "What follows from this?"}};
  turn.request.budget.max_input_tokens = 8'000;
  for (auto _ : state) {
    if (!workflow.context_for(turn)) return state.SkipWithError("no context");
  }
}

void append_memory(benchmark::State& state) { append_one(state, make_memory_conversation_store()); }
void append_sqlite(benchmark::State& state) { append_one(state, sqlite_store(false)); }
void append_sqlite_exclusive(benchmark::State& state) { append_one(state, sqlite_store(true)); }
void append_postgresql(benchmark::State& state) { append_one(state, server_store("CTXMGR_TEST_POSTGRESQL_URL")); }
void append_mariadb(benchmark::State& state) { append_one(state, server_store("CTXMGR_TEST_MYSQL_URL")); }
void load_memory(benchmark::State& state) { load_page(state, make_memory_conversation_store()); }
void load_sqlite(benchmark::State& state) { load_page(state, sqlite_store(false)); }
void load_postgresql(benchmark::State& state) { load_page(state, server_store("CTXMGR_TEST_POSTGRESQL_URL")); }
void load_mariadb(benchmark::State& state) { load_page(state, server_store("CTXMGR_TEST_MYSQL_URL")); }
void bare_postgresql_append(benchmark::State& state) { bare_server_append(state, "CTXMGR_TEST_POSTGRESQL_URL"); }
void bare_mariadb_append(benchmark::State& state) { bare_server_append(state, "CTXMGR_TEST_MYSQL_URL"); }
void bare_postgresql_load(benchmark::State& state) { bare_server_load(state, "CTXMGR_TEST_POSTGRESQL_URL"); }
void bare_mariadb_load(benchmark::State& state) { bare_server_load(state, "CTXMGR_TEST_MYSQL_URL"); }

BENCHMARK(append_memory)->Iterations(20'000)->UseRealTime();
BENCHMARK(append_sqlite)->UseRealTime();
BENCHMARK(append_sqlite_exclusive)->UseRealTime();
BENCHMARK(bare_sqlite_append)->UseRealTime();
BENCHMARK(append_postgresql)->UseRealTime();
BENCHMARK(bare_postgresql_append)->UseRealTime();
BENCHMARK(append_mariadb)->UseRealTime();
BENCHMARK(bare_mariadb_append)->UseRealTime();
BENCHMARK(load_memory)->UseRealTime();
BENCHMARK(load_sqlite)->UseRealTime();
BENCHMARK(bare_sqlite_load)->UseRealTime();
BENCHMARK(load_postgresql)->UseRealTime();
BENCHMARK(bare_postgresql_load)->UseRealTime();
BENCHMARK(load_mariadb)->UseRealTime();
BENCHMARK(bare_mariadb_load)->UseRealTime();
BENCHMARK(context_for)->Arg(1'000)->Arg(10'000)->Arg(100'000)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
