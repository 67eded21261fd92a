#include "c/manager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ctxmgr::c {
namespace {

using ::testing::HasSubstr;

std::int64_t count_bytes(void*, const char*, std::size_t size) { return static_cast<std::int64_t>(size); }

TEST(CManagerTest, AHostsCounterThatServesAnyModelIsTheOnlyOne) {
  ctxmgr_callbacks callbacks{};
  EXPECT_GT(make_manager("{}", callbacks).value()->counters.size(), 1U);
  callbacks.count = count_bytes;
  const auto only = make_manager("{}", callbacks).value();
  ASSERT_EQ(only->counters.size(), 1U);
  EXPECT_EQ(only->counters[0]->count("four"), 4);
  callbacks.tokenizer = "bytes";
  EXPECT_GT(make_manager("{}", callbacks).value()->counters.size(), 1U);
}

TEST(CManagerTest, AStoreIsNamedOrGiven) {
  EXPECT_NE(make_manager(R"({"store":"memory"})", {}).value()->store, nullptr);
  const auto other = make_manager(R"({"store":"ftp:x"})", {});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("sqlite:PATH"));
}

}  // namespace
}  // namespace ctxmgr::c
