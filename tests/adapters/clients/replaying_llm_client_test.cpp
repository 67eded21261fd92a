#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "ctxmgr/adapters/llm_client_decorators.hpp"

namespace ctxmgr {
namespace {

TEST(ReplayingLlmClientTest, SaysWhichLineIsWrong) {
  const auto path = ::testing::TempDir() + "replay-" + std::to_string(getpid()) + ".jsonl";
  std::ofstream(path) << R"({"v":1,"request":{},"error":{"code":"denied"}})"
                      << "\n\nnonsense\n";
  const auto player = make_replaying_llm_client(path);
  std::remove(path.c_str());
  ASSERT_FALSE(player);
  EXPECT_EQ(player.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(player.error().message, ::testing::HasSubstr("line 3"));
}

TEST(ReplayingLlmClientTest, ADirectoryIsNoCassette) {
  EXPECT_EQ(make_replaying_llm_client("/").error().code, ErrorCode::invalid_argument);
}

TEST(ReplayingLlmClientTest, AnEmptyCassetteHoldsNothing) {
  const auto player = make_replaying_llm_client("/dev/null");
  ASSERT_TRUE(player);
  EXPECT_EQ((*player)->complete({}, {}).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace ctxmgr
