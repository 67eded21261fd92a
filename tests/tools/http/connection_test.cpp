#include "http/connection.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace ctxpack::http::test {
namespace {

struct Pair {
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
  std::array<int, 2> ends{};
};

TEST(ConnectionTest, KnowsWhetherTheClientIsThere) {
  const Pair pair;
  Connection connection(pair.ends[0], "here");
  EXPECT_FALSE(connection.is_abandoned());
  ASSERT_EQ(::write(pair.ends[1], "x", 1), 1);
  EXPECT_FALSE(connection.is_abandoned());  // The next request, which is not read yet.
  std::string bytes;
  EXPECT_EQ(connection.read(bytes, 9), Connection::Read::some);
  EXPECT_EQ(connection.read(bytes, 9), Connection::Read::nothing);
  close(pair.ends[1]);
  EXPECT_TRUE(connection.is_abandoned());
  EXPECT_EQ(connection.read(bytes, 9), Connection::Read::closed);
  EXPECT_EQ(bytes, "x");
}

TEST(ConnectionTest, AClientThatSaysNothingIsNotWaitedForForEver) {
  const Pair pair;
  const Connection connection(pair.ends[0], "here");
  EXPECT_FALSE(connection.wait_for_bytes(std::chrono::steady_clock::now()));
  close(pair.ends[1]);
}

TEST(ConnectionTest, AClientThatReadsNothingIsNotWaitedForForEver) {
  const Pair pair;
  Connection connection(pair.ends[0], "here");
  EXPECT_FALSE(connection.write(std::string(std::size_t{8} << 20, 'x'), std::chrono::milliseconds(1)));
  close(pair.ends[1]);
}

}  // namespace
}  // namespace ctxpack::http::test
