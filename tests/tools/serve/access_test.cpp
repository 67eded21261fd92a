#include "serve/access.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

TEST(AccessTest, WithoutATokenOnlyThisMachineMayAsk) {
  const Access access("");
  EXPECT_TRUE(access.admits({"127.0.0.1:8790", "", "", ""}));
  EXPECT_TRUE(access.admits({"localhost", "http://localhost:3000", "", ""}));
  EXPECT_TRUE(access.admits({"[::1]:80", "", "", ""}));
  EXPECT_FALSE(access.admits({"", "", "", ""}));
  EXPECT_FALSE(access.admits({"127.0.0.1.evil.example", "", "", ""}));
  EXPECT_FALSE(access.admits({"localhost:1", "https://evil.example", "", ""}));
  EXPECT_FALSE(access.admits({"localhost:1", "null", "", ""}));
}

TEST(AccessTest, WithATokenWhoeverHasItMayAsk) {
  const Access access("open sesame");
  EXPECT_TRUE(access.admits({"proxy.example", "", "open sesame", ""}));
  EXPECT_TRUE(access.admits({"proxy.example", "", "", "Basic dXNlcjpvcGVuIHNlc2FtZQ=="}));
  EXPECT_FALSE(access.admits({"localhost", "", "", ""}));
  EXPECT_FALSE(access.admits({"localhost", "", "open sesam", ""}));
  EXPECT_FALSE(access.admits({"localhost", "", "open sesameopen sesame", ""}));
  EXPECT_FALSE(access.admits({"localhost", "", "", "Basic dXNlcjpvcGVu"}));
  EXPECT_FALSE(access.admits({"localhost", "", "", "Bearer open sesame"}));
}

TEST(AccessTest, APageOfAnotherSiteDoesNotUseThePasswordThatABrowserKnows) {
  const Access access("open sesame");
  const std::string basic = "Basic dXNlcjpvcGVuIHNlc2FtZQ==";
  EXPECT_TRUE(access.admits({"proxy.example", "https://proxy.example", "", basic}));
  EXPECT_TRUE(access.admits({"127.0.0.1:8790", "https://proxy.example", "", basic, "same-origin"})) << "behind a front";
  EXPECT_TRUE(access.admits({"proxy.example", "", "", basic, "none"}));
  EXPECT_FALSE(access.admits({"proxy.example", "https://evil.example", "", basic}));
  EXPECT_FALSE(access.admits({"proxy.example", "null", "", basic}));
  EXPECT_FALSE(access.admits({"proxy.example", "https://proxy.example", "", basic, "cross-site"}));
  EXPECT_FALSE(access.admits({"proxy.example", "", "open sesame", "", "same-site"}));
}

TEST(AccessTest, TheTokenIsKnownWhereverItStands) {
  const Access access("open sesame");
  for (const char* const value : {"open sesame", "Bearer open sesame", "Basic dXNlcjpvcGVuIHNlc2FtZQ==",
                                  "basic dXNlcjpvcGVuIHNlc2FtZQ==", "Basic b3BlbiBzZXNhbWU6"})
    EXPECT_TRUE(access.is_token(value)) << value;
  for (const char* const value : {"", "open", "Bearer sk-1", "Basic dXNlcjpvcGVu"})
    EXPECT_FALSE(access.is_token(value)) << value;
  EXPECT_FALSE(Access("").is_token(""));
}

}  // namespace
}  // namespace ctxpack::serve::test
