#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "adapters/long_listing.hpp"
#include "adapters/recorded_history.hpp"
#include "adapters/store_races.hpp"
#include "ctxmgr/adapters/redis_key_value_store.hpp"
#include "ctxmgr/testing/conformance.hpp"
#include "session/isolation.hpp"
#include "support/environment.hpp"

namespace ctxmgr {
namespace {

using ::testing::IsEmpty;

/// Every test has a key prefix of its own, on the server that `tests/support/servers.sh` started.
RedisOptions options(const std::string& url) {
  static std::atomic<int> number{0};
  RedisOptions options;
  options.url = url;
  options.key_prefix = "test:" + std::to_string(::getpid()) + ":" + std::to_string(++number) + ":";
  options.socket_timeout = std::chrono::seconds(10);  // sanitizers are slow
  return options;
}

TEST(RedisKeyValueStoreThreadsTest, KeepsThePortsPromises) {
  CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_REDIS_URL");
  EXPECT_THAT(testing::check_key_value_store([&] { return make_redis_key_value_store(options(url)).value(); }),
              IsEmpty());
}

TEST(RedisKeyValueStoreThreadsTest, SixtyFourThreadsLoseNoUpdate) {
  CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_REDIS_URL");
  const auto one = options(url);
  testing::expect_no_lost_update_among_threads([&] { return make_redis_key_value_store(one).value(); }, 3);
}

TEST(RedisKeyValueStoreThreadsTest, CallsOnOneKeyAreLinearizable) {
  CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_REDIS_URL");
  const auto one = options(url);
  testing::expect_linearizable([&] { return make_redis_key_value_store(one).value(); }, {0, 6, 2, 40}, 10);
  testing::expect_linearizable([&] { return make_redis_key_value_store(one).value(); }, {0, 64, 8, 8}, 2);
}

TEST(RedisKeyValueStoreTest, CallsOfFourProcessesAreLinearizable) {
  CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_REDIS_URL");
  const auto one = options(url);
  testing::expect_linearizable([&] { return make_redis_key_value_store(one).value(); }, {4, 4, 4, 30}, 5);
}

TEST(RedisKeyValueStoreTest, FourProcessesLoseNoUpdate) {
  CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_REDIS_URL");
  const auto one = options(url);
  testing::expect_no_lost_update_among_processes([&] { return make_redis_key_value_store(one).value(); }, 3);
}

TEST(RedisKeyValueStoreTest, NoInputToOneSessionReachesAnother) {
  CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_REDIS_URL");
  EXPECT_TRUE(testing::sessions_are_isolated(make_redis_key_value_store(options(url)).value()));
}

TEST(RedisKeyValueStoreTest, ALongListingIsStableWhileOthersWrite) {
  CTXMGR_ENVIRONMENT_OR_SKIP(url, "CTXMGR_TEST_REDIS_URL");
  const auto store = make_redis_key_value_store(options(url)).value();
  testing::expect_listing_is_stable(*store);
  EXPECT_TRUE(store->erase_namespace("n", {}));
}

TEST(RedisKeyValueStoreTest, RefusesWhatItCannotUse) {
  RedisOptions options;
  options.key_prefix = "{a}";
  EXPECT_EQ(make_redis_key_value_store(options).error().code, ErrorCode::invalid_argument);
  options.key_prefix = "a";
  options.url = "postgresql://h";
  EXPECT_EQ(make_redis_key_value_store(options).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ctxmgr
