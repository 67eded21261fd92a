#include "adapters/curl/secrets.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::http {
namespace {

TEST(SecretsTest, AreReplacedWhereverTheyStand) {
  Secrets secrets;
  secrets.add("sk-secret");
  secrets.add("proxy-secret");
  EXPECT_EQ(secrets.redacted("sk-secret: proxy-secretsk-secret"), "***: ******");
  EXPECT_EQ(secrets.redacted("nothing of the kind"), "nothing of the kind");
}

TEST(SecretsTest, ShortOnesAreWords) {
  Secrets secrets;
  secrets.add("");
  secrets.add("true");
  EXPECT_EQ(secrets.redacted("it is true"), "it is true");
}

TEST(SecretsTest, WipedTextIsGone) {
  std::string text = "sk-0123456789abcdef";
  wipe(text);
  EXPECT_EQ(text, std::string(19, '\0'));
}

}  // namespace
}  // namespace ctxmgr::http
