#include "adapters/redis/request.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::redis {
namespace {

TEST(RedisRequestTest, IsWrittenAsTheProtocolSays) {
  Request request;
  request.command({"MULTI"}).begin(3).word("SET").word({"a", "", "b"}).word("");
  EXPECT_EQ(request.bytes(), "*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$2\r\nab\r\n$0\r\n\r\n");
  EXPECT_EQ(request.commands(), 2u);
}

TEST(RedisRequestTest, NoByteOfAWordIsMoreThanAByte) {
  const std::string hostile("\r\n*1\r\n$8\r\nFLUSHALL\r\n\0", 21);
  EXPECT_EQ(Request().command({"GET", hostile}).bytes(), "*2\r\n$3\r\nGET\r\n$21\r\n" + hostile + "\r\n");
}

TEST(RedisRequestTest, WhatRoomWasMadeForDoesNotMove) {
  Request request;
  request.reserve(102, 100 * 1'000 + 100);
  request.begin(101);
  const auto* const room = request.bytes().data();
  request.word("MSET");
  for (int i = 0; i < 100; ++i) request.word(std::string(1'000, 'v'));
  EXPECT_EQ(request.bytes().data(), room);
}

TEST(RedisRequestTest, ABufferIsUsedAgainForItsRoomAlone) {
  Request first(std::string(10'000, 'x'));
  first.command({"PING"});
  const auto* const room = first.bytes().data();
  Request second(std::move(first).take_buffer());
  EXPECT_EQ(second.bytes(), "");
  EXPECT_EQ(second.commands(), 0u);
  EXPECT_EQ(second.command({"PING"}).bytes().data(), room);
}

}  // namespace
}  // namespace ctxmgr::redis
