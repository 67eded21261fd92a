#include "ctxmgr/core/error.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

Result<int> always_missing() { return fail(ErrorCode::not_found, "no such thing"); }

TEST(ErrorTest, FailMakesAResultThatCarriesCodeAndMessage) {
  const auto result = always_missing();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::not_found);
  EXPECT_EQ(result.error().message, "no such thing");
  EXPECT_FALSE(result.error().retry_after);
}

TEST(ErrorTest, CodesAreWrittenByTheNameOfTheirEnumerator) {
  EXPECT_EQ(to_string(ErrorCode::cancelled), "cancelled");
  EXPECT_EQ(to_string(ErrorCode::context_length_exceeded), "context_length_exceeded");
  EXPECT_EQ(to_string(ErrorCode::internal), "internal");
}

}  // namespace
}  // namespace ctxmgr
