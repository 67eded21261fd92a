#include "adapters/redis/stored_value.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::redis {
namespace {

TEST(RedisStoredValueTest, ReadsWhatTheFirstReleaseWrote) {
  const auto stored = decode_value("n", "key", "00000000000000000042 1:3:nkeyvalue");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->version, 42u);
  EXPECT_EQ(stored->value, "value");
  EXPECT_EQ(version_text(42), "00000000000000000042");
  EXPECT_EQ(header_bytes("n", "key"), std::string("00000000000000000042 1:3:nkey").size());
}

TEST(RedisStoredValueTest, IsNobodyElses) {
  const std::string text = "00000000000000000042 1:3:nkeyvalue";
  EXPECT_FALSE(decode_value("n", "kez", text));
  EXPECT_FALSE(decode_value("m", "key", text));
  EXPECT_FALSE(decode_value("nk", "ey", text)) << "the lengths tell them apart";
  EXPECT_FALSE(decode_value("n", "ke", text));
}

TEST(RedisStoredValueTest, AnythingElseIsNoValue) {
  const std::string text = "00000000000000000042 1:3:nkey";
  EXPECT_TRUE(decode_value("n", "key", text)) << "an empty value is one";
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(decode_value("n", "key", text.substr(0, size)));
  EXPECT_FALSE(decode_value("n", "key", "00000000000000000000 1:3:nkeyvalue")) << "no key ever had version 0";
  EXPECT_FALSE(decode_value("n", "key", "0000000000000000004x 1:3:nkeyvalue"));
  EXPECT_FALSE(decode_value("n", "key", "00000000000000000042_1:3:nkeyvalue"));
  EXPECT_FALSE(parse_version("99999999999999999999")) << "more than a version can be";
}

}  // namespace
}  // namespace ctxmgr::redis
