#include "adapters/redis/versions.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "adapters/redis/stub_server.hpp"

namespace ctxmgr::redis {
namespace {

/// A server that gives versions from 1'000 on and answers a GET with what it is told.
class VersionsTest : public ::testing::Test {
 protected:
  std::string answer(const std::string& request) {
    if (request.find("GET\r\n") != std::string::npos && request.find("EVAL") == std::string::npos) return counter_;
    ++reservations_;
    const std::string reply = "*2\r\n" + first_ + epoch_;
    return request.find("SCRIPT") == std::string::npos ? reply : "$1\r\nx\r\n" + reply;
  }

  Pool pool() {
    RedisOptions options;
    options.socket_timeout = std::chrono::seconds(5);
    return {parse_url(server_.url()).value(), options};
  }

  std::string first_ = "$4\r\n1000\r\n";
  std::string epoch_ = "$2\r\nE1\r\n";
  std::string counter_ = "$7\r\n2024 E1\r\n";
  std::atomic<int> reservations_{0};
  ctxmgr::testing::StubServer server_{[this](int, const std::string& request) { return answer(request); }};
};

TEST_F(VersionsTest, AreReservedManyAtATime) {
  Versions versions("v", false);
  auto pool = this->pool();
  for (std::uint64_t i = 0; i < 1'024; ++i) ASSERT_EQ(versions.draw(pool, {}).value(), 1'000 + i);
  EXPECT_EQ(reservations_, 1);
  EXPECT_TRUE(versions.draw(pool, {}));
  EXPECT_EQ(reservations_, 2);
}

TEST_F(VersionsTest, AnotherEpochOrNoneIsALoss) {
  auto pool = this->pool();
  for (const auto* left : {"$7\r\n2024 E2\r\n", "$-1\r\n", "$4\r\n2024\r\n"}) {
    counter_ = "$7\r\n2024 E1\r\n";
    Versions versions("v", false);
    ASSERT_TRUE(versions.draw(pool, {}));
    ASSERT_TRUE(versions.check_now(pool, {}));
    counter_ = left;
    EXPECT_EQ(versions.check_now(pool, {}).error().code, ErrorCode::bad_data);
    counter_ = "$7\r\n2024 E1\r\n";
    EXPECT_EQ(versions.check().error().code, ErrorCode::bad_data) << "what was seen once stays";
  }
}

TEST_F(VersionsTest, ACacheGoesOnAfterALoss) {
  Versions versions("v", true);
  auto pool = this->pool();
  ASSERT_TRUE(versions.draw(pool, {}));
  counter_ = "$-1\r\n";
  EXPECT_TRUE(versions.check_now(pool, {}));
  EXPECT_TRUE(versions.check());
}

TEST_F(VersionsTest, AServerWithoutAnyHasLostNothing) {
  Versions versions("v", false);
  auto pool = this->pool();
  counter_ = "$-1\r\n";
  EXPECT_TRUE(versions.check_now(pool, {}));
  counter_ = "$7\r\n2024 E1\r\n";
  EXPECT_TRUE(versions.check_now(pool, {})) << "somebody else has written first";
}

TEST_F(VersionsTest, WhoAskedBeforeTheFirstWriteAndHearsAfterItHasLostNothing) {
  Versions versions("v", false);
  auto writers = pool();
  const ctxmgr::testing::StubServer slow([&](int, const std::string&) {
    EXPECT_TRUE(versions.draw(writers, {})) << "meanwhile";
    return "$-1\r\n";
  });
  Pool readers(parse_url(slow.url()).value(), {});
  EXPECT_TRUE(versions.check_now(readers, {}));
  EXPECT_TRUE(versions.check());
}

TEST_F(VersionsTest, AnUnreadableCounterIsBadData) {
  Versions versions("v", false);
  auto pool = this->pool();
  counter_ = ":7\r\n";
  EXPECT_EQ(versions.check_now(pool, {}).error().code, ErrorCode::bad_data);
  first_ = "$4\r\nmany\r\n";
  EXPECT_FALSE(versions.draw(pool, {}));
}

}  // namespace
}  // namespace ctxmgr::redis
