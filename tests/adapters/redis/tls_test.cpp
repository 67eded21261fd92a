#include "adapters/redis/tls.hpp"

#include <gtest/gtest.h>

#include "adapters/redis/own_server.hpp"
#include "support/certificate.hpp"

namespace ctxmgr {
namespace {

using testing::OwnServer;

/// A server that speaks TLS alone, with a certificate for one host.
class RedisTlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!redis::Tls::create("localhost", "")) GTEST_SKIP() << "skipped: built without TLS";
    if (!test::has_openssl()) GTEST_SKIP() << "skipped: no openssl";
    if (!OwnServer::is_installed()) GTEST_SKIP() << "skipped: no redis-server";
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<OwnServer> serve(const test::Certificate& certificate = {}) const {
    EXPECT_TRUE(test::make_certificate(directory_, certificate));
    return std::make_unique<OwnServer>(
        std::vector<std::string>{"--tls-cert-file", directory_ / "cert.pem", "--tls-key-file", directory_ / "key.pem",
                                 "--tls-auth-clients", "no"},
        OwnServer::Speaks::tls);
  }

  Result<std::unique_ptr<KeyValueStore>> store_on(const OwnServer& server, bool trusts = true) const {
    RedisOptions options;
    options.url = server.url();
    options.socket_timeout = std::chrono::seconds(5);
    options.ca_file = trusts ? (directory_ / "cert.pem").string() : "";
    return make_redis_key_value_store(options);
  }

  /// Once the server is there; how it answers a read.
  static ErrorCode answer_of(KeyValueStore& store) {
    for (int i = 0; i < 200; ++i) {
      const auto read = store.read("n", {"k"}, {});
      if (read) return ErrorCode::not_found;
      if (read.error().message.rfind("redis: cannot connect", 0) != 0) return read.error().code;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return ErrorCode::internal;
  }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("ctxmgr-redis-tls-" + std::to_string(::getpid()));
};

TEST_F(RedisTlsTest, ValuesOfAnySizeCrossAnEncryptedConnection) {
  const auto server = serve();
  const auto store = store_on(*server).value();
  ASSERT_EQ(answer_of(*store), ErrorCode::not_found);
  for (const std::size_t size : {0, 1, 16'383, 16'384, 16'385, 3'000'000}) {
    const std::string value(size, 'v');
    ASSERT_TRUE(store->write("n", {{"k", value, {}, {}}}, {}));
    ASSERT_EQ(store->read("n", {"k"}, {}).value()[0]->value, value) << size;
  }
}

TEST_F(RedisTlsTest, WhoeverCannotProveWhoHeIsIsDenied) {
  auto server = serve();
  EXPECT_EQ(answer_of(*store_on(*server, false).value()), ErrorCode::denied) << "nobody trusted vouches for it";
  server = serve({"127.0.0.2"});
  EXPECT_EQ(answer_of(*store_on(*server).value()), ErrorCode::denied) << "another host's certificate";
  server = serve({"127.0.0.1", "20200201000000Z"});
  EXPECT_EQ(answer_of(*store_on(*server).value()), ErrorCode::denied) << "an expired one";
}

TEST_F(RedisTlsTest, AServerThatDoesNotSpeakTlsIsUnavailable) {
  ASSERT_TRUE(test::make_certificate(directory_));
  const OwnServer server({}, OwnServer::Speaks::plainly);
  RedisOptions options;
  options.url = "rediss" + server.url().substr(5);
  options.ca_file = directory_ / "cert.pem";
  EXPECT_EQ(answer_of(*make_redis_key_value_store(options).value()), ErrorCode::unavailable);
}

TEST_F(RedisTlsTest, AuthoritiesThatCannotBeReadAreRefusedAtOnce) {
  RedisOptions options;
  options.url = "rediss://127.0.0.1";
  options.ca_file = directory_ / "nowhere.pem";
  EXPECT_EQ(make_redis_key_value_store(options).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ctxmgr
