#include "serve/connection.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace ctxpack::serve::test {
namespace {

struct Pair {
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
  std::array<int, 2> ends{};
};

TEST(ConnectionTest, KnowsWhetherTheClientIsThere) {
  const Pair pair;
  const Connection connection(pair.ends[0], {});
  EXPECT_FALSE(connection.is_abandoned());
  ASSERT_EQ(::write(pair.ends[1], "x", 1), 1);
  EXPECT_FALSE(connection.is_abandoned());  // The next request, which is not read yet.
  char byte = 0;
  ASSERT_EQ(::read(pair.ends[0], &byte, 1), 1);
  close(pair.ends[1]);
  EXPECT_TRUE(connection.is_abandoned());
  EXPECT_FALSE(connection.is_writable());
}

TEST(ConnectionTest, AClientThatSaysNothingIsNotWaitedForForEver) {
  const Pair pair;
  ConnectionLimits limits;
  limits.read_timeout = limits.keep_alive = std::chrono::milliseconds(1);
  Connection connection(pair.ends[0], limits);
  std::array<char, 4> bytes{};
  EXPECT_EQ(connection.read(bytes.data(), bytes.size()), -1);
  const std::atomic<socket_t> listening{1};
  EXPECT_FALSE(connection.wait_for_request(listening));
  close(pair.ends[1]);
}

TEST(ConnectionTest, AClientThatReadsNothingIsNotWaitedForForEver) {
  const Pair pair;
  ConnectionLimits limits;
  limits.write_timeout = std::chrono::milliseconds(1);
  Connection connection(pair.ends[0], limits);
  const std::string bytes(std::size_t{64} << 10, 'x');
  ssize_t sent = 0;
  for (int i = 0; i < 1'000 && sent >= 0; ++i) sent = connection.write(bytes.data(), bytes.size());
  EXPECT_EQ(sent, -1);
  close(pair.ends[1]);
}

TEST(ConnectionTest, OutsideOfAHandlerThereIsNone) { EXPECT_EQ(Server::current(), nullptr); }

}  // namespace
}  // namespace ctxpack::serve::test
