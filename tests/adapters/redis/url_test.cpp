#include "adapters/redis/url.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "adapters/servers/server_url.hpp"

namespace ctxmgr::redis {
namespace {

TEST(RedisUrlTest, ReadsAllParts) {
  const auto url = parse_url("redis://us%40er:p%3Ass@cache.example:6380/12").value();
  EXPECT_FALSE(url.tls);
  EXPECT_EQ(url.user, "us@er");
  EXPECT_EQ(url.password, "p:ss");
  EXPECT_EQ(url.host, "cache.example");
  EXPECT_EQ(url.port, 6380);
  EXPECT_EQ(url.database, 12);
}

TEST(RedisUrlTest, HasDefaults) {
  const auto url = parse_url("rediss://localhost").value();
  EXPECT_TRUE(url.tls);
  EXPECT_EQ(url.port, 6379);
  EXPECT_EQ(url.database, 0);
  EXPECT_TRUE(url.user.empty() && url.password.empty());
  EXPECT_EQ(parse_url("redis://:secret@[::1]:7000").value().host, "::1");
  EXPECT_EQ(parse_url("redis://:secret@[::1]:7000").value().password, "secret");
}

TEST(RedisUrlTest, SaysWhichPartIsWrongAndQuotesNothing) {
  for (const auto* text :
       {"", "http://hunter2", "redis://", "redis://:hunter2@", "redis://:hunter2@h:0", "redis://:hunter2@h:65536",
        "redis://:hunter2@h:x", "redis://:hunter2@h/x", "redis://:hunter2@h/-1", "redis://:hunter2%@h",
        "redis://:hunter2%zz@h", "redis://:hunter2@[::1", "redis://:hunter2@[::1]x", "redis://:hunter2@h:1:2"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(url.error().message.find("hunter2"), std::string::npos) << url.error().message;
  }
}

TEST(RedisUrlTest, ANumberIsAllOfATextAndInBounds) {
  EXPECT_EQ(parse_number("0", 7), 0);
  EXPECT_EQ(parse_number("7", 7), 7);
  for (const auto* text : {"8", "-1", "", "7x", " 7", "99999999999"})
    EXPECT_EQ(parse_number(text, 7), std::nullopt) << text;
}

TEST(RedisUrlTest, TakesAnyText) {
  EXPECT_TRUE(rc::check([](const std::string& text) { (void)parse_url("redis://" + text); }));
}

}  // namespace
}  // namespace ctxmgr::redis
