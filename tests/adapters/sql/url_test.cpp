#include "adapters/sql/url.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::sql {
namespace {

using std::chrono::milliseconds;

Result<Connection> parsed(std::string_view url) { return parse_url(url, milliseconds(1'500)); }

TEST(SqlUrlTest, PostgresqlBecomesConnectionParameters) {
  const auto connection = parsed("postgresql://ann:s%27cr%5Cet@db.example:5433/threads?sslmode=require");
  ASSERT_TRUE(connection);
  EXPECT_EQ(connection->backend, Backend::postgresql);
  EXPECT_EQ(connection->parameters,
            R"(host='db.example' port='5433' user='ann' password='s\'cr\\et' dbname='threads' sslmode='require' )"
            R"(connect_timeout='2' client_encoding='UTF8')");
}

TEST(SqlUrlTest, MysqlSpeaksFourByteUnicodeAndHasTimeLimits) {
  const auto connection = parsed("mysql://root@127.0.0.1/ctx?unix_socket=/tmp/my.sock");
  ASSERT_TRUE(connection);
  EXPECT_EQ(connection->backend, Backend::mysql);
  EXPECT_EQ(connection->parameters,
            "host='127.0.0.1' user='root' dbname='ctx' unix_socket='/tmp/my.sock' connect_timeout='2' "
            "charset='utf8mb4'");
}

TEST(SqlUrlTest, PasswordMayHoldSeparators) {
  const auto connection = parsed("postgres://u:p%40:%2F@[::1]:1/d");
  ASSERT_TRUE(connection);
  EXPECT_EQ(connection->parameters.substr(0, 46), "host='::1' port='1' user='u' password='p@:/' d");
}

TEST(SqlUrlTest, ThePlaceHasNoUserAndNoPassword) {
  EXPECT_EQ(parsed("postgresql://ann:hunter2@db.example:5433/threads?sslmode=require")->place,
            " (db.example:5433, database threads)");
  EXPECT_EQ(parsed("mysql://ann:hunter2@[::1]:1/d")->place, " ([::1]:1, database d)");
  EXPECT_EQ(parsed("mysql://root@127.0.0.1/ctx")->place, " (127.0.0.1, database ctx)");
  EXPECT_EQ(parsed("mysql://root@/ctx?unix_socket=/tmp/my.sock")->place, "");
}

TEST(SqlUrlTest, APieceOfAPasswordThatIsNotEncodedIsInNoPlace) {
  for (const auto* url : {"postgresql://u:12/hunter2@db/threads", "postgresql://u:12/hunter2@db",
                          "mysql://h/d%0Ahunter2", "mysql://h%20hunter2/d"})
    EXPECT_EQ(parsed(url)->place, "") << url;
}

TEST(SqlUrlTest, WhatIsRefusedIsNotRepeated) {
  for (const auto* url : {"", "sqlite:///x", "oracle://secret@h/d", "postgresql://secret@h", "postgresql://secret@h/",
                          "postgresql://u:secret%@h/d", "postgresql://u:secret%0@h/d", "postgresql://u:secret%00@h/d",
                          "postgresql://u:secret@h:1x/d", "mysql://u:secret@[::1/d", "mysql://secret@h/d?a%20b=c",
                          "mysql://secret@h/d?'=c"}) {
    const auto connection = parsed(url);
    ASSERT_FALSE(connection) << url;
    EXPECT_EQ(connection.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(connection.error().message.find("secret"), std::string::npos);
  }
}

TEST(SqlUrlTest, WithoutASchemeTheErrorShowsTheForm) {
  EXPECT_NE(parsed("sqlite:threads.db").error().message.find("postgresql://USER:PASSWORD@HOST/DATABASE"),
            std::string::npos);
}

}  // namespace
}  // namespace ctxmgr::sql
