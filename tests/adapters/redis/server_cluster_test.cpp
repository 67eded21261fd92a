#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <thread>

#include "adapters/recorded_history.hpp"
#include "adapters/redis/cluster.hpp"
#include "adapters/redis/connection.hpp"
#include "adapters/redis/own_server.hpp"
#include "adapters/sqlite/temporary_file.hpp"
#include "ctxmgr/testing/conformance.hpp"
#include "session/isolation.hpp"

namespace ctxmgr {
namespace {

using namespace std::chrono_literals;

using ::testing::IsEmpty;
using testing::OwnServer;

using Words = std::vector<std::string_view>;

redis::Reply ask(const OwnServer& node, const Words& words) {
  RedisOptions options;
  options.socket_timeout = 10s;
  const auto connection = redis::Connection::open(redis::parse_url(node.url()).value(), options, {});
  if (!connection) return nullptr;
  auto replies = (*connection)->run(redis::Request().command(words), {});
  return replies ? std::move(replies->front()) : nullptr;
}

std::string text(const redis::Reply& reply) { return reply ? std::string(redis::text_of(*reply)) : "(nothing)"; }

std::vector<std::string> names(const redis::Reply& reply) {
  std::vector<std::string> names;
  for (std::size_t i = 0; reply && i < reply->elements; ++i) names.emplace_back(redis::text_of(*reply->element[i]));
  return names;
}

/// Three nodes that share the slots evenly.
class Cluster {
 public:
  Cluster() {
    for (std::size_t i = 0; i < 3; ++i) {
      bus_ports_[i] = OwnServer::free_port();
      nodes_[i] = std::make_unique<OwnServer>(std::vector<std::string>{
          "--cluster-enabled", "yes", "--cluster-port", bus_ports_[i], "--cluster-config-file", std::to_string(i),
          "--cluster-require-full-coverage", "no", "--dir", directory_.file("")});
    }
  }

  /// Waits until the nodes have found each other; false if they never do.
  bool form() {
    for (int i = 0; i < 3; ++i) {
      if (!eventually([&] { return text(ask(node(i), {"PING"})) == "PONG"; })) return false;
      const auto first = std::to_string(i * 16'384 / 3 + (i > 0));
      const auto last = std::to_string(i == 2 ? 16'383 : (i + 1) * 16'384 / 3);
      (void)ask(node(i), {"CLUSTER", "ADDSLOTSRANGE", first, last});
      (void)ask(node(0), {"CLUSTER", "MEET", "127.0.0.1", node(i).port(), bus_ports_[static_cast<std::size_t>(i)]});
    }
    return eventually([&] { return knows_all(0) && knows_all(1) && knows_all(2); });
  }

  [[nodiscard]] const OwnServer& node(int number) const { return *nodes_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] std::string id(int number) const { return text(ask(node(number), {"CLUSTER", "MYID"})); }

  /// The node that serves a key; -1: none.
  [[nodiscard]] int owner_of(std::string_view key) const {
    for (int i = 0; i < 3; ++i) {
      const auto reply = ask(node(i), {"EXISTS", key});
      if (reply && !redis::is_error(*reply)) return i;
    }
    return -1;
  }

  [[nodiscard]] std::vector<std::string> all_keys() const {
    std::vector<std::string> all;
    for (const auto& one : nodes_) {
      for (auto& name : names(ask(*one, {"KEYS", "*"}))) all.push_back(std::move(name));
    }
    return all;
  }

 private:
  template <class Condition>
  static bool eventually(const Condition& holds) {
    for (int i = 0; i < 600; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(50ms);
    }
    return false;
  }

  [[nodiscard]] bool knows_all(int number) const {
    const auto info = text(ask(node(number), {"CLUSTER", "INFO"}));
    return info.find("cluster_state:ok") != info.npos && info.find("cluster_slots_ok:16384") != info.npos &&
           info.find("cluster_known_nodes:3") != info.npos;
  }

  testing::TemporaryDirectory directory_;
  std::array<std::unique_ptr<OwnServer>, 3> nodes_;
  std::array<std::string, 3> bus_ports_;
};

/// One cluster for all tests, since its nodes take seconds to find each other.
class RedisServerClusterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!OwnServer::is_installed()) return;
    cluster_ = std::make_unique<Cluster>();
    if (!cluster_->form()) cluster_.reset();
  }
  static void TearDownTestSuite() { cluster_.reset(); }

  void SetUp() override {
    if (!OwnServer::is_installed()) GTEST_SKIP() << "skipped: no redis-server";
    ASSERT_TRUE(cluster_) << "the nodes did not form a cluster";
  }

  std::unique_ptr<KeyValueStore> open() {
    RedisOptions options;
    options.url = cluster_->node(0).url();
    options.key_prefix = std::to_string(++number_) + ":";
    options.socket_timeout = 10s;
    return make_redis_key_value_store(options).value();
  }

  static inline std::unique_ptr<Cluster> cluster_;
  static inline int number_ = 0;
};

TEST_F(RedisServerClusterTest, AStoreOnOneNodeReachesTheNamespacesOfAll) {
  EXPECT_THAT(testing::check_key_value_store([&] { return open(); }), IsEmpty());
}

TEST_F(RedisServerClusterTest, CallsOnOneKeyAreLinearizable) {
  testing::expect_linearizable([&] { return open(); }, {0, 8, 4, 20}, 5);
}

TEST_F(RedisServerClusterTest, EverythingOfANamespaceIsInOneSlot) {
  const auto store = open();
  const auto prefix = std::to_string(number_) + ":";
  for (const std::string name : {"session-1", "a{b}c", "}", "{}", "%7D", ""}) {
    ASSERT_TRUE(store->write(name, {{"plain", "v", {}, {}}, {"{another}", "v", {}, {}}}, {}));
    ASSERT_TRUE(store->write(name, {{"expiring", "v", 1h, {}}, {"created", "v", {}, 0}}, {}));
  }
  std::map<int, int> keys_in_slot;
  for (const auto& key : cluster_->all_keys()) {
    const auto slot = ask(cluster_->node(0), {"CLUSTER", "KEYSLOT", key});
    ASSERT_EQ(redis::slot_of(key), slot->integer) << key;
    if (key.starts_with(prefix) && key != prefix + "versions") ++keys_in_slot[redis::slot_of(key)];
  }
  EXPECT_EQ(keys_in_slot.size(), 6u);
  for (const auto& [slot, keys] : keys_in_slot) EXPECT_EQ(keys, 6) << "four values, the index and the expiry";
}

TEST_F(RedisServerClusterTest, ANamespaceIsLookedForOnce) {
  const auto store = open();
  const auto redirections = [&] {
    const auto info = text(ask(cluster_->node(0), {"INFO", "errorstats"}));
    const auto found = info.find("errorstat_MOVED:count=");
    return found == info.npos ? 0 : std::stoi(info.substr(found + 22));
  };
  const auto write_all = [&] {
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(store->write("n" + std::to_string(i), {{"k", "v", {}, {}}}, {}));
  };
  const auto before = redirections();
  write_all();
  const auto after = redirections();
  EXPECT_GT(after, before);
  write_all();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(store->read("n" + std::to_string(i), {"k"}, {}).value().front());
  EXPECT_EQ(redirections(), after);
}

TEST_F(RedisServerClusterTest, NoInputToOneSessionReachesAnother) {
  EXPECT_TRUE(testing::sessions_are_isolated(open()));
}

TEST_F(RedisServerClusterTest, WhileANamespaceMovesItIsUnavailableAndThenFoundAgain) {
  const auto store = open();
  ASSERT_TRUE(store->write("n", {{"a", "1", {}, {}}, {"b", "2", 1h, {}}, {"c", "3", {}, {}}}, {}));
  const auto tag = std::to_string(number_) + ":{nn}";
  const auto slot = std::to_string(redis::slot_of(tag));
  const int from = cluster_->owner_of(tag);
  const int to = (from + 1) % 3;
  const auto& source = cluster_->node(from);
  const auto& target = cluster_->node(to);
  const auto move = [&](const std::string& key) {
    ASSERT_EQ(text(ask(source, {"MIGRATE", "127.0.0.1", target.port(), key, "0", "5000"})), "OK");
  };
  ASSERT_EQ(text(ask(target, {"CLUSTER", "SETSLOT", slot, "IMPORTING", cluster_->id(from)})), "OK");
  ASSERT_EQ(text(ask(source, {"CLUSTER", "SETSLOT", slot, "MIGRATING", cluster_->id(to)})), "OK");
  move(tag + "va");

  const auto is_away = [](const auto& result) { return !result && result.error().code == ErrorCode::unavailable; };
  EXPECT_TRUE(is_away(store->read("n", {"a"}, {})));
  EXPECT_TRUE(is_away(store->read("n", {"a", "b"}, {})));
  EXPECT_TRUE(is_away(store->list("n", {}, {}, 10, {})));
  EXPECT_TRUE(is_away(store->write("n", {{"a", "x", {}, {}}, {"b", "x", {}, {}}}, {})));
  EXPECT_TRUE(is_away(store->write("n", {{"b", "x", 1h, {}}, {"a", "x", 1h, {}}}, {})));
  EXPECT_EQ(store->read("n", {"b", "c"}, {}).value().front()->value, "2") << "what failed has changed nothing";

  for (const auto& key : names(ask(source, {"CLUSTER", "GETKEYSINSLOT", slot, "100"}))) move(key);
  for (const auto* node : {&target, &source}) {
    ASSERT_EQ(text(ask(*node, {"CLUSTER", "SETSLOT", slot, "NODE", cluster_->id(to)})), "OK");
  }
  const auto values = store->read("n", {"a", "b", "c"}, {}).value();
  EXPECT_EQ(values[0]->value + values[1]->value + values[2]->value, "123");
  EXPECT_TRUE(store->write("n", {{"a", "4", {}, values[0]->version}}, {}));
  EXPECT_EQ(store->list("n", {}, {}, 10, {}).value().size(), 3u);
}

}  // namespace
}  // namespace ctxmgr
