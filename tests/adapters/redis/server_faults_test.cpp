#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/redis/connection.hpp"
#include "adapters/redis/own_server.hpp"
#include "adapters/sqlite/temporary_file.hpp"
#include "support/environment.hpp"
#include "support/heap_canary.hpp"
#include "support/no_descriptors.hpp"
#include "support/sanitizers.hpp"

namespace ctxmgr {
namespace {

using namespace std::chrono_literals;

using testing::OwnServer;

std::unique_ptr<KeyValueStore> store_on(const OwnServer& server, bool go_on_when_lost = false) {
  RedisOptions options;
  options.url = server.url();
  options.socket_timeout = 300ms;
  options.go_on_when_lost = go_on_when_lost;
  return make_redis_key_value_store(options).value();
}

Result<std::uint64_t> put(KeyValueStore& store, const std::string& key, const std::string& value) {
  return store.write("n", {{key, value, {}, {}}}, {});
}

/// Waits until the server answers; false if it never does.
bool is_ready(KeyValueStore& store) {
  for (int i = 0; i < 200; ++i) {
    if (store.read("n", {"ready"}, {})) return true;
    std::this_thread::sleep_for(50ms);
  }
  return false;
}

#define START_OR_SKIP(store)                                                  \
  if (!OwnServer::is_installed()) GTEST_SKIP() << "skipped: no redis-server"; \
  ASSERT_TRUE(is_ready(store))

TEST(RedisServerFaultsTest, AStoppedServerIsUnavailableAndARestartedOneIsFoundAgain) {
  OwnServer server;
  const auto store = store_on(server, true);
  START_OR_SKIP(*store);
  const auto before = put(*store, "k", "v").value();
  server.stop();
  EXPECT_EQ(put(*store, "k", "w").error().code, ErrorCode::unavailable);
  EXPECT_EQ(store->read("n", {"k"}, {}).error().code, ErrorCode::unavailable);
  server.start();
  ASSERT_TRUE(is_ready(*store));
  EXPECT_FALSE(store->read("n", {"k"}, {}).value()[0]) << "this server keeps nothing";
  for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(put(*store, "k", "w")) << "scripts are loaded again";
  EXPECT_GT(store->read("n", {"k"}, {}).value()[0]->version, before) << "versions do not begin anew";
}

TEST(RedisServerFaultsTest, WhatARestartLostIsNotCalledAbsent) {
  OwnServer server;
  const auto reader = store_on(server);
  START_OR_SKIP(*reader);
  const auto writer = store_on(server);
  const auto lister = store_on(server);
  ASSERT_TRUE(put(*writer, "k", "v"));
  ASSERT_FALSE(reader->read("n", {"another"}, {}).value()[0]) << "now it knows that there was something";
  ASSERT_EQ(lister->list("n", {}, {}, 10, {}).value().size(), 1u);
  server.stop();
  server.start();
  const auto later = store_on(server);
  ASSERT_TRUE(is_ready(*later));
  ASSERT_TRUE(put(*later, "k", "another life")) << "who came after the loss works";
  EXPECT_EQ(reader->read("n", {"another"}, {}).error().code, ErrorCode::bad_data);
  EXPECT_EQ(reader->read("n", {"k"}, {}).error().code, ErrorCode::bad_data) << "from then on, until it is opened again";
  EXPECT_EQ(lister->list("n", {}, {}, 10, {}).error().code, ErrorCode::bad_data);
  Result<std::uint64_t> written = 0;
  for (int i = 0; written && i < 2'000; ++i) written = put(*writer, "k", "v");
  EXPECT_EQ(written.error().code, ErrorCode::bad_data) << "at the latest when it needs new versions";
  EXPECT_TRUE(store_on(server)->read("n", {"k"}, {}).value()[0]);
}

TEST(RedisServerFaultsTest, AServerThatHangsIsUnavailableAndItsLateRepliesAreLost) {
  OwnServer server;
  const auto store = store_on(server);
  START_OR_SKIP(*store);
  ASSERT_TRUE(put(*store, "a", "1") && put(*store, "b", "2"));
  server.signal(SIGSTOP);
  EXPECT_EQ(store->read("n", {"a"}, {}).error().code, ErrorCode::unavailable);
  server.signal(SIGCONT);
  ASSERT_TRUE(is_ready(*store));
  EXPECT_EQ(store->read("n", {"b"}, {}).value()[0]->value, "2");
}

TEST(RedisServerFaultsTimingTest, AServerThatHangsCostsAQuarterOfASecondAtMost) {
  const OwnServer server;
  RedisOptions options;
  options.url = server.url();
  const auto store = make_redis_key_value_store(options).value();
  START_OR_SKIP(*store);
  ASSERT_TRUE(put(*store, "k", "v"));
  server.signal(SIGSTOP);
  const auto code_in_time = [](const auto& ask) {
    CallOptions call;
    call.deadline = std::chrono::steady_clock::now() + 500ms;
    const auto result = ask(call);
    const auto late = std::chrono::steady_clock::now() - *call.deadline;
    EXPECT_LT(late, 250ms);
    std::printf("%lld ms after a deadline of 500 ms\n",
                static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(late).count()));
    return result ? ErrorCode::internal : result.error().code;
  };
  const std::vector<KeyValueWrite> writes{{"k", "w", {}, {}}};
  EXPECT_EQ(code_in_time([&](const CallOptions& call) { return store->read("n", {"k"}, call); }),
            ErrorCode::deadline_exceeded);
  EXPECT_EQ(code_in_time([&](const CallOptions& call) { return store->write("n", writes, call); }),
            ErrorCode::deadline_exceeded);
  EXPECT_EQ(code_in_time([&](const CallOptions& call) { return store->list("n", {}, {}, 9, call); }),
            ErrorCode::deadline_exceeded);
  EXPECT_EQ(code_in_time([&](const CallOptions& call) { return store->erase_namespace("n", call); }),
            ErrorCode::deadline_exceeded);
  server.signal(SIGCONT);
}

TEST(RedisServerFaultsTest, AnEvictedValueIsAnErrorOrAbsentAndNeverAnothers) {
  const OwnServer server({"--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru"});
  const auto store = store_on(server, true);
  START_OR_SKIP(*store);
  const auto value_of = [](int i) { return std::to_string(i) + std::string(20'000, 'v'); };
  int missing = 0;
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(put(*store, std::to_string(i), value_of(i)));
  for (int i = 0; i < 300; ++i) {
    const auto read = store->read("n", {std::to_string(i)}, {});
    if (!read) {
      EXPECT_EQ(read.error().code, ErrorCode::bad_data);
    }
    if (read && (*read)[0]) {
      EXPECT_EQ((*read)[0]->value, value_of(i));
    } else {
      ++missing;
    }
  }
  EXPECT_GT(missing, 50);
}

TEST(RedisServerFaultsTest, AServerThatMayEvictIsWarnedOf) {
  const auto warnings_of = [](const std::string& policy) {
    const OwnServer server({"--maxmemory-policy", policy});
    EXPECT_TRUE(is_ready(*store_on(server)));
    std::vector<std::string> warnings;
    RedisOptions options;
    options.url = server.url();
    options.observer = make_observer(
        [&](const Event& event) { warnings.emplace_back(std::get<std::string_view>(event.fields.at(0).value)); });
    const auto store = make_redis_key_value_store(options).value();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(put(*store, "k", "v"));
    return warnings;
  };
  if (!OwnServer::is_installed()) GTEST_SKIP() << "skipped: no redis-server";
  EXPECT_TRUE(warnings_of("noeviction").empty());
  const auto warnings = warnings_of("volatile-ttl");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("maxmemory-policy volatile-ttl"), std::string::npos);
}

TEST(RedisServerFaultsTest, AFullServerThatDoesNotEvictRefusesWrites) {
  const OwnServer server({"--maxmemory", "3mb", "--maxmemory-policy", "noeviction"});
  const auto store = store_on(server);
  START_OR_SKIP(*store);
  Result<std::uint64_t> written = 0;
  int stored = 0;
  while (written && stored < 300) written = put(*store, std::to_string(stored++), std::string(20'000, 'v'));
  EXPECT_EQ(written.error().code, ErrorCode::limit_exceeded);
  EXPECT_TRUE(store->read("n", {"0"}, {}).value()[0]);
}

/// What the test does to the server itself, beside the stores.
redis::Reply command(const OwnServer& server, const std::vector<std::string_view>& words) {
  const auto connection = redis::Connection::open(redis::parse_url(server.url()).value(), {}, {}).value();
  return std::move(connection->run(redis::Request().command(words), {}).value().front());
}

std::vector<std::string> all_keys(const OwnServer& server) {
  std::vector<std::string> keys;
  const auto reply = command(server, {"KEYS", "*"});
  for (std::size_t i = 0; i < reply->elements; ++i) keys.emplace_back(redis::text_of(*reply->element[i]));
  return keys;
}

TEST(RedisServerFaultsTest, AReplicaIsReadAndTakesNoWrites) {
  const OwnServer server;
  const auto store = store_on(server);
  START_OR_SKIP(*store);
  ASSERT_TRUE(put(*store, "k", "v"));
  (void)command(server, {"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_EQ(put(*store, "k", "w").error().code, ErrorCode::unavailable);
  EXPECT_EQ(store->read("n", {"k"}, {}).value()[0]->value, "v");
  (void)command(server, {"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(put(*store, "k", "w"));
}

TEST(RedisServerFaultsTest, WhatIsGoneButListedIsNoAbsentKeyUntilItIsWrittenAnew) {
  const OwnServer server;
  const auto store = store_on(server);
  START_OR_SKIP(*store);
  const auto create = [&] { return store->write("n", {{"k", "created", {}, 0}, {"other", "v", {}, {}}}, {}); };
  ASSERT_TRUE(put(*store, "k", "v"));
  EXPECT_EQ(create().error().code, ErrorCode::conflict);
  ASSERT_EQ(command(server, {"DEL", "ctxmgr:{nn}vk"})->integer, 1) << "as eviction does";
  EXPECT_EQ(store->read("n", {"k"}, {}).error().code, ErrorCode::bad_data);
  EXPECT_EQ(create().error().code, ErrorCode::bad_data);
  EXPECT_FALSE(store->read("n", {"other"}, {}).value().front());
  ASSERT_TRUE(put(*store, "k", "written anew"));
  EXPECT_EQ(store->read("n", {"k"}, {}).value().front()->value, "written anew");
  ASSERT_TRUE(store->write("n", {{"k", {}, {}, {}}}, {}));
  EXPECT_TRUE(create());
}

TEST(RedisServerFaultsTest, ConnectionsThatDiedWhileNobodyUsedThemFailNoCall) {
  const OwnServer server;
  const auto store = store_on(server);
  START_OR_SKIP(*store);
  std::atomic<int> failed = 0;
  const auto eight_at_once = [&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] { failed += put(*store, std::to_string(i), "v") ? 0 : 1; });
    }
    for (auto& thread : threads) thread.join();
  };
  eight_at_once();
  ASSERT_GE(command(server, {"CLIENT", "KILL", "TYPE", "normal"})->integer, 1);
  eight_at_once();
  EXPECT_EQ(failed, 0);
  (void)command(server, {"CLIENT", "KILL", "TYPE", "normal"});
  EXPECT_TRUE(store->read("n", {"1"}, {}));
  (void)command(server, {"CLIENT", "KILL", "TYPE", "normal"});
  EXPECT_EQ(store->list("n", {}, {}, 9, {}).value().size(), 8U);
}

TEST(RedisServerFaultsTest, WithoutDescriptorsACallIsUnavailableAndTheNextIsFine) {
  const OwnServer server;
  START_OR_SKIP(*store_on(server));
  const auto store = store_on(server);
  {
    const testing::NoDescriptors no_descriptors;
    EXPECT_EQ(store->read("n", {"k"}, {}).error().code, ErrorCode::unavailable);
    EXPECT_EQ(put(*store, "k", "v").error().code, ErrorCode::unavailable);
  }
  EXPECT_TRUE(put(*store, "k", "v"));
}

/// What a process wrote under one after another key until the server was gone: how many writes were acknowledged.
int write_until_it_fails(KeyValueStore& store, int first, std::atomic<int>& acknowledged) {
  int number = first;
  for (;; ++number) {
    const auto key = std::to_string(number);
    if (!store.write("n", {{key, key, {}, {}}, {"twin" + key, key, {}, {}}}, {})) return number;
    ++acknowledged;
  }
}

TEST(RedisServerFaultsTest, AKilledServerThatWritesEverythingLosesNothingThatItAcknowledged) {
  const testing::TemporaryDirectory directory;
  OwnServer server({"--dir", std::filesystem::path(directory.file("x")).parent_path(), "--appendonly", "yes",
                    "--appendfsync", "always"});
  START_OR_SKIP(*store_on(server));
  const auto wanted = testing::environment("CTXMGR_TEST_SERVER_KILLS");
  const int kills = wanted ? std::stoi(*wanted) : 5;
  int expected = 0;
  for (int kill = 0; kill < kills; ++kill) {
    const auto store = store_on(server);
    int written = expected;
    std::atomic<int> acknowledged = 0;
    std::thread writer([&] { written = write_until_it_fails(*store, expected, acknowledged); });
    while (acknowledged < 3 + kill % 20) std::this_thread::yield();
    server.stop();
    writer.join();
    server.start();
    const auto after = store_on(server);
    ASSERT_TRUE(is_ready(*after));
    const auto keys = after->list("n", {}, {}, 1'000'000, {});
    ASSERT_TRUE(keys) << keys.error().message;
    ASSERT_EQ(keys->size() % 2, 0U) << "half a write";
    const int there = static_cast<int>(keys->size()) / 2;
    ASSERT_GE(there, written);
    ASSERT_LE(there, written + 1);
    ASSERT_EQ(after->read("n", {std::to_string(there - 1)}, {}).value()[0].value().value, std::to_string(there - 1));
    expected = there;
  }
  std::printf("%d kills, %d writes of two keys, none lost\n", kills, expected);
}

TEST(RedisServerFaultsTest, AfterAFailoverThatLostTheLastWriteItsVersionIsNobodyElses) {
  const OwnServer server;
  const auto store = store_on(server);
  START_OR_SKIP(*store);
  const auto kept = put(*store, "k", "kept").value();
  std::vector<std::pair<std::string, std::string>> replica;  // was asked before the next write
  for (const auto& key : all_keys(server)) {
    replica.emplace_back(key, redis::text_of(*command(server, {"DUMP", key})));
  }
  const auto lost = put(*store, "k", "lost").value();
  ASSERT_TRUE(put(*store, "new", "lost"));
  (void)command(server, {"FLUSHALL"});
  for (const auto& [key, content] : replica) (void)command(server, {"RESTORE", key, "0", content});
  const auto set_if = [&](std::uint64_t version) { return store->write("n", {{"k", "after", {}, version}}, {}); };
  EXPECT_EQ(set_if(lost).error().code, ErrorCode::conflict)
      << "what was acknowledged is not there, and that is noticed";
  EXPECT_EQ(store->read("n", {"k"}, {}).value().front()->version, kept);
  EXPECT_EQ(store->list("n", {}, {}, 10, {}).value().size(), 1u);
  EXPECT_GT(set_if(kept).value(), lost);
  EXPECT_GT(put(*store_on(server), "k", "another process").value(), lost);
}

TEST(RedisServerFaultsTest, VersionsGoOnWhereTheServersClockWasSetBack) {
  const OwnServer server;
  const auto store = store_on(server);
  START_OR_SKIP(*store);
  ASSERT_TRUE(put(*store, "k", "v"));
  const auto counter = std::string(redis::text_of(*command(server, {"GET", "ctxmgr:versions"})));
  // Reserved while the clock was wrong by decades: 2100 in microseconds.
  const auto ahead = "4102444800000000" + counter.substr(counter.find(' '));
  (void)command(server, {"SET", "ctxmgr:versions", ahead});
  EXPECT_EQ(put(*store_on(server), "k", "v").value(), 4'102'444'800'000'001u);
  EXPECT_EQ(put(*store_on(server), "k", "v").value(), 4'102'444'800'001'026u);
}

TEST(RedisServerFaultsTest, AClockThatIsSetMovesExpiryAndNothingElse) {
  const testing::TemporaryDirectory directory;
  const auto set_clock = [&](std::chrono::seconds offset) {
    std::ofstream(directory.file("new")) << offset.count();
    std::filesystem::rename(directory.file("new"), directory.file("clock"));
  };
  set_clock(0s);
  const OwnServer server({}, OwnServer::Speaks::plainly,
                         {{"LD_PRELOAD", CTXMGR_TEST_SET_CLOCK}, {"CTXMGR_TEST_CLOCK", directory.file("clock")}});
  const auto store = store_on(server);
  START_OR_SKIP(*store);
  const auto has = [&](const std::string& key) { return store->read("n", {key}, {}).value().front().has_value(); };
  const auto put_for = [&](const std::string& key, std::chrono::milliseconds ttl) {
    return store->write("n", {{key, "v", ttl, {}}}, {}).value();
  };
  std::uint64_t last = put(*store, "stays", "v").value();
  put_for("half an hour", 30min);
  put_for("two hours", 2h);
  put_for("two decades", 24h * 365 * 20);

  set_clock(24h * 3650);  // beyond 2038 soon enough
  EXPECT_TRUE(has("stays") && has("two decades"));
  EXPECT_FALSE(has("half an hour") || has("two hours"));
  EXPECT_EQ(store->list("n", {}, {}, 10, {}).value().size(), 2u);
  const auto ahead = store_on(server)->write("n", {{"stays", "v", {}, {}}}, {}).value();
  EXPECT_GT(ahead, last);
  last = ahead;

  set_clock(-1h);
  EXPECT_TRUE(has("stays") && has("two decades"));
  EXPECT_GT(store_on(server)->write("n", {{"stays", "v", {}, {}}}, {}).value(), last) << "versions do not go back";
  EXPECT_TRUE(put_for("half an hour", 30min) && has("half an hour"));

  set_clock(-10min);
  EXPECT_FALSE(has("half an hour"));
  set_clock(-1h);
  EXPECT_FALSE(has("half an hour")) << "gone when the clock was ahead: expired, not lost";
  EXPECT_EQ(store->read("n", {"two hours"}, {}).error().code, ErrorCode::bad_data) << "should still be there: lost";
}

TEST(RedisServerFaultsTest, AWrongPasswordIsDenied) {
  const OwnServer server({"--requirepass", "hunter2"});
  RedisOptions options;
  options.url = server.url();
  options.url.insert(8, ":hunter2@");
  const auto store = make_redis_key_value_store(options).value();
  START_OR_SKIP(*store);
  options.url = server.url();
  EXPECT_EQ(put(*make_redis_key_value_store(options).value(), "k", "v").error().code, ErrorCode::denied);
  options.url.insert(8, ":wrong@");
  EXPECT_EQ(put(*make_redis_key_value_store(options).value(), "k", "v").error().code, ErrorCode::denied);
}

TEST(RedisServerFaultsTest, ThePasswordIsWipedFromTheHeapWithTheStore) {
  if (CTXMGR_INSTRUMENTED != 0) GTEST_SKIP() << "sanitizers keep memory of their own";
  const OwnServer server;
  START_OR_SKIP(*store_on(server));
  const testing::HeapCanary canary;
  RedisOptions options;
  options.url.reserve(256);
  options.url = "redis://default:";  // from whom this server takes any password
  canary.append_to(options.url);
  options.url += "@" + server.url().substr(8);
  auto store = make_redis_key_value_store(options).value();
  for (char& c : options.url) c = ' ';
  ASSERT_TRUE(put(*store, "k", "v"));
  if (canary.occurrences_on_heap() == 0) GTEST_SKIP() << "this allocator keeps its memory elsewhere";
  store.reset();
  EXPECT_EQ(canary.occurrences_on_heap(), 0u);
}

}  // namespace
}  // namespace ctxmgr
