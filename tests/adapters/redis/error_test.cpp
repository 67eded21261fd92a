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
  EXPECT_EQ(code_of("MOVED 3999 127.0.0.1:6381"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of("WRONGTYPE Operation against a key"), ErrorCode::bad_data);
  EXPECT_EQ(code_of(""), ErrorCode::bad_data);
}

TEST(RedisErrorTest, RepeatsTheFirstWordOnly) {
  EXPECT_EQ(error_from_reply("ERR unknown command, with args beginning with: 'secret'").message,
            "redis: the server answered ERR");
  EXPECT_EQ(error_from_reply("secret").message, "redis: the server answered ERR");
}

TEST(RedisErrorTest, SaysWhatToDoWithANodeOfACluster) {
  for (const auto* reply : {"MOVED 3999 127.0.0.1:6381", "ASK 3999 127.0.0.1:6381", "CROSSSLOT Keys in request"}) {
    EXPECT_NE(error_from_reply(reply).message.find("connect to a proxy"), std::string::npos) << reply;
    EXPECT_EQ(error_from_reply(reply).message.find("127.0.0.1"), std::string::npos) << reply;
  }
}

}  // namespace
}  // namespace ctxmgr::redis
