#include "adapters/sqlite/statement.hpp"

#include <gtest/gtest.h>

#include "adapters/sqlite/database.hpp"
#include "adapters/sqlite/temporary_file.hpp"

namespace ctxmgr::sqlite {
namespace {

class StatementTest : public ::testing::Test {
 protected:
  std::unique_ptr<Database> open() const {
    SqliteOptions options;
    options.path = directory_.file("a.db");
    return Database::open(options).value();
  }

  testing::TemporaryDirectory directory_;
  const std::unique_ptr<Database> database_ = open();
  const CallOptions no_limits_{};
  Transaction transaction_ = database_->begin(Mode::read, no_limits_).value();
};

TEST_F(StatementTest, OneThatCannotBePreparedFailsWhenItRuns) {
  auto statement = transaction_.prepare("SELECT nothing FROM nowhere");
  statement.bind(1, std::int64_t{1});
  EXPECT_FALSE(statement.step());
  statement.reset();
  EXPECT_FALSE(statement.step());
}

TEST_F(StatementTest, OneMayBeInUseTwice) {
  constexpr std::string_view sql = "VALUES (1), (2)";
  auto outer = transaction_.prepare(sql);
  ASSERT_TRUE(outer.step().value());
  {
    auto inner = transaction_.prepare(sql);
    ASSERT_TRUE(inner.step().value() && inner.step().value());
    EXPECT_EQ(inner.integer(0), 2);
  }
  EXPECT_EQ(outer.integer(0), 1);
}

TEST_F(StatementTest, NoBytesAreNotNull) {
  auto statement = transaction_.prepare("SELECT ?1, ?2, ?3");
  statement.bind(1, std::string_view()).bind_text(2, std::string_view()).bind(3, std::optional<std::int64_t>());
  ASSERT_TRUE(statement.step().value());
  EXPECT_FALSE(statement.is_null(0));
  EXPECT_FALSE(statement.is_null(1));
  EXPECT_TRUE(statement.is_null(2));
}

}  // namespace
}  // namespace ctxmgr::sqlite
