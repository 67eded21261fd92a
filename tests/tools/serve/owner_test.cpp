#include "serve/owner.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

std::string owner_with(const char* name, const char* value, const char* secret, const char* user = "") {
  return owner_of({{name, value}}, user, secret);
}

TEST(OwnerTest, ACredentialIsKnownByAHashThatNobodyWithoutTheSecretCanMake) {
  const auto owner = owner_with("authorization", "Bearer k", "secret");
  EXPECT_EQ(owner.size(), 24U);
  EXPECT_EQ(owner_with("authorization", "Bearer k", "secret"), owner);
  EXPECT_NE(owner_with("authorization", "Bearer k", "other"), owner);
  EXPECT_NE(owner_with("authorization", "Bearer l", "secret"), owner);
  EXPECT_NE(owner_with("x-api-key", "Bearer k", "secret"), owner);
  EXPECT_EQ(owner_with("user-agent", "k", "secret"), "");
}

TEST(OwnerTest, UsersOfOneCredentialAreSeveralOwners) {
  const auto of_nobody = owner_with("x-api-key", "k", "secret");
  const auto of_ann = owner_with("x-api-key", "k", "secret", "ann");
  EXPECT_NE(of_ann, of_nobody);
  EXPECT_NE(of_ann, owner_with("x-api-key", "k", "secret", "bob"));
  EXPECT_NE(of_ann, owner_with("x-api-key", "l", "secret", "ann"));
  EXPECT_EQ(owner_of({}, "ann", "secret").size(), 24U) << "a service that wants no key";
}

TEST(OwnerTest, RandomDigitsAreNotTheSameTwice) {
  EXPECT_EQ(random_digits().size(), 64U);
  EXPECT_NE(random_digits(), random_digits());
}

}  // namespace
}  // namespace ctxpack::serve::test
