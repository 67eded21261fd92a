#include "adapters/redis/error.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::redis {
namespace {

TEST(RedisErrorTest, TellsPassingFailuresFromLastingOnes) {
  const auto code_of = [](std::string_view reply) { return error_from_reply(reply).code; };
  EXPECT_EQ(code_of("LOADING Redis is loading the dataset in memory"), ErrorCode::unavailable);
  EXPECT_EQ(code_of("READONLY You can't write against a read only replica."), ErrorCode::unavailable);
  EXPECT_EQ(code_of("BUSY Redis is busy running a script."), ErrorCode::unavailable);
  EXPECT_EQ(code_of("MISCONF Redis is configured to save RDB snapshots"), ErrorCode::unavailable);
  EXPECT_EQ(code_of("OOM command not allowed when used memory > 'maxmemory'."), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of("NOAUTH Authentication required."), ErrorCode::denied);
  EXPECT_EQ(code_of("WRONGPASS invalid username-password pair"), ErrorCode::denied);
  EXPECT_EQ(code_of("MOVED 3999 127.0.0.1:6381"), ErrorCode::unavailable);
  EXPECT_EQ(code_of("ASK 3999 127.0.0.1:6381"), ErrorCode::unavailable);
  EXPECT_EQ(code_of("ERR Script attempted to access a non local key in a cluster node"), ErrorCode::unavailable);
  EXPECT_EQ(code_of("WRONGTYPE Operation against a key"), ErrorCode::bad_data);
  EXPECT_EQ(code_of(""), ErrorCode::bad_data);
}

TEST(RedisErrorTest, RepeatsTheFirstWordOnly) {
  EXPECT_EQ(error_from_reply("ERR unknown command, with args beginning with: 'secret'").message,
            "redis: the server answered ERR");
  EXPECT_EQ(error_from_reply("secret").message, "redis: the server answered ERR");
}

}  // namespace
}  // namespace ctxmgr::redis
