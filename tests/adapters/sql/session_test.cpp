#include "adapters/sql/session.hpp"

#include "adapters/sql/relay.hpp"
#include "adapters/sql/server_fixture.hpp"
#include "adapters/sql/session_pool.hpp"

namespace ctxmgr::sql {
namespace {

using std::chrono::milliseconds;

class SqlSessionTest : public testing::SqlServerTest {
 protected:
  std::unique_ptr<Session> session(const std::string& url, milliseconds statement_timeout = milliseconds(30'000)) {
    return std::make_unique<Session>(*parse_url(url, options_.connect_timeout), dog_, options_.connect_timeout,
                                     statement_timeout);
  }

  Watchdog dog_;
};

TEST_P(SqlSessionTest, ASilentServerIsGivenUpAfterTheDeadline) {
  testing::Relay relay(options_.url);
  const auto silent = session(relay.url());
  CallOptions call;
  call.deadline = std::chrono::steady_clock::now() + milliseconds(200);
  silent->begin_call(call);
  relay.hold();
  int one = 0;
  EXPECT_THROW((silent->soci() << "SELECT 1", soci::into(one)), soci::soci_error);
  EXPECT_TRUE(silent->timed_out());
}

TEST_P(SqlSessionTest, NothingOfAFinishedCallEndsTheNextOne) {
  const auto session = this->session(options_.url);
  CallOptions call;
  call.deadline = std::chrono::steady_clock::now() + milliseconds(500);
  session->begin_call(call);
  session->end_call();
  session->begin_call({});
  int result = 0;
  session->soci() << (is_mysql() ? "SELECT SLEEP(1)" : "SELECT 1 FROM pg_sleep(1)"), soci::into(result);
  EXPECT_EQ(result, is_mysql() ? 0 : 1);
  EXPECT_FALSE(session->timed_out());
}

TEST_P(SqlSessionTest, NoticesOfTheServerAreNotPrinted) {
  if (is_mysql()) GTEST_SKIP() << "skipped: its client prints none";
  ::testing::internal::CaptureStderr();
  session(options_.url)->soci() << "DROP TABLE IF EXISTS there_is_no_such_table";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(SqlSessionTest, ASnapshotShowsOneMoment) {
  const auto writer = session(options_.url);
  const auto reader = session(options_.url);
  writer->soci() << "CREATE TABLE ctxmgr_schema (version INTEGER NOT NULL)" << (is_mysql() ? " ENGINE=InnoDB" : "");
  const auto rows = [&] {
    int count = -1;
    reader->soci() << "SELECT COUNT(*) FROM ctxmgr_schema", soci::into(count);
    return count;
  };
  {
    const Snapshot snapshot(reader->soci(), backend());
    EXPECT_EQ(rows(), 0);
    writer->soci() << "INSERT INTO ctxmgr_schema VALUES (1)";
    EXPECT_EQ(rows(), 0);
  }
  EXPECT_EQ(rows(), 1);
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlSessionTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));

}  // namespace
}  // namespace ctxmgr::sql
