#include "adapters/sqlite/error.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace ctxmgr::sqlite {
namespace {

TEST(SqliteErrorTest, SaysWhatACallerCanDo) {
  const auto code_of = [](int code) { return error_from(code, "writing").code; };
  for (const int code :
       {SQLITE_BUSY, SQLITE_BUSY_SNAPSHOT, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_IOERR_FSYNC, SQLITE_CANTOPEN}) {
    EXPECT_EQ(code_of(code), ErrorCode::unavailable) << code;
  }
  for (const int code : {SQLITE_FULL, SQLITE_TOOBIG}) EXPECT_EQ(code_of(code), ErrorCode::limit_exceeded) << code;
  for (const int code : {SQLITE_CORRUPT, SQLITE_CORRUPT_INDEX, SQLITE_NOTADB}) {
    EXPECT_EQ(code_of(code), ErrorCode::bad_data) << code;
  }
  for (const int code : {SQLITE_READONLY, SQLITE_READONLY_DBMOVED, SQLITE_PERM, SQLITE_AUTH}) {
    EXPECT_EQ(code_of(code), ErrorCode::denied) << code;
  }
  EXPECT_EQ(code_of(SQLITE_MISUSE), ErrorCode::internal);
}

TEST(SqliteErrorTest, IsOneLineWithNothingOfTheContent) {
  EXPECT_EQ(error_from(SQLITE_FULL, "running a statement").message,
            "sqlite: running a statement: database or disk is full");
}

TEST(SqliteErrorTest, AfterAFailedWriteNothingIsKnownOfTheDisk) {
  EXPECT_TRUE(is_write_failure(SQLITE_IOERR_FSYNC));
  EXPECT_TRUE(is_write_failure(SQLITE_IOERR_WRITE));
  EXPECT_FALSE(is_write_failure(SQLITE_IOERR_READ));
  EXPECT_FALSE(is_write_failure(SQLITE_FULL));
  EXPECT_FALSE(is_write_failure(SQLITE_BUSY));
}

}  // namespace
}  // namespace ctxmgr::sqlite
