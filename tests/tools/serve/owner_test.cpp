#include "serve/owner.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

http::RequestHead head_with(const char* name, const char* value) {
  http::RequestHead head;
  head.headers = {{name, value}};
  return head;
}

TEST(OwnerTest, ACredentialIsKnownByAHashThatNobodyWithoutTheSecretCanMake) {
  const auto owner = owner_of(head_with("authorization", "Bearer k"), "secret");
  EXPECT_EQ(owner.size(), 24U);
  EXPECT_EQ(owner_of(head_with("authorization", "Bearer k"), "secret"), owner);
  EXPECT_NE(owner_of(head_with("authorization", "Bearer k"), "other"), owner);
  EXPECT_NE(owner_of(head_with("authorization", "Bearer l"), "secret"), owner);
  EXPECT_NE(owner_of(head_with("x-api-key", "Bearer k"), "secret"), owner);
  EXPECT_EQ(owner_of(head_with("user-agent", "k"), "secret"), "");
}

TEST(OwnerTest, RandomDigitsAreNotTheSameTwice) {
  EXPECT_EQ(random_digits().size(), 64U);
  EXPECT_NE(random_digits(), random_digits());
}

}  // namespace
}  // namespace ctxpack::serve::test
