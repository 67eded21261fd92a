#include "adapters/sql/session_pool.hpp"

#include "adapters/sql/relay.hpp"
#include "adapters/sql/server_fixture.hpp"
#include "support/no_descriptors.hpp"
#include "support/no_threads.hpp"

namespace ctxmgr::sql {
namespace {

ErrorCode code_of(const char* message) { return to_error(soci::soci_error(message)).code; }

TEST(SqlErrorTest, TellsApartWhatACallerDoesNext) {
  EXPECT_EQ(code_of("ERROR:  canceling statement due to statement timeout"), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code_of("Query execution was interrupted (max_statement_time exceeded)"), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code_of("Lock wait timeout exceeded; try restarting transaction"), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code_of("Got a packet bigger than 'max_allowed_packet' bytes"), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of("could not extend file: No space left on device"), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of("Access denied for user 'x'@'y' (using password: YES)"), ErrorCode::denied);
  EXPECT_EQ(code_of("FATAL:  password authentication failed for user"), ErrorCode::denied);
  EXPECT_EQ(code_of("Deadlock found when trying to get lock"), ErrorCode::unavailable);
  EXPECT_EQ(code_of("Server has gone away"), ErrorCode::unavailable);
}

TEST(SqlErrorTest, RepeatsNothingOfWhatTheServerSaid) {
  const auto error = to_error(soci::soci_error("Access denied for user 'canary'@'host'"));
  EXPECT_EQ(error.message.find("canary"), std::string::npos);
}

TEST(SqlErrorTest, WhoIsNotThereIsNamedWithoutUserAndPassword) {
  constexpr std::chrono::milliseconds limit(500);
  for (const auto* scheme : {"postgresql", "mysql"}) {
    SessionPool closed{*parse_url(std::string(scheme) + "://canary:hunter2@127.0.0.1:1/threads", limit), 1, limit,
                       limit};
    const auto session = closed.take({});
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().code, ErrorCode::unavailable);
    EXPECT_EQ(session.error().message, "the database server is not available (127.0.0.1:1, database threads)");
  }
}

class SqlSessionPoolTest : public testing::SqlServerTest {
 protected:
  SessionPool pool(std::size_t size) {
    return {*parse_url(options_.url, options_.connect_timeout), size, options_.connect_timeout,
            options_.statement_timeout};
  }
};

TEST_P(SqlSessionPoolTest, WaitsForASessionUntilTheDeadline) {
  SessionPool one = pool(1);
  auto held = one.take({});
  ASSERT_TRUE(held);
  CallOptions call;
  call.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
  EXPECT_EQ(one.take(call).error().code, ErrorCode::deadline_exceeded);
  CallOptions cancelled;
  cancelled.cancellation = CancellationToken([] { return true; });
  EXPECT_EQ(one.take(cancelled).error().code, ErrorCode::cancelled);
  one.give_back(std::move(*held));
  EXPECT_TRUE(one.take({}));
}

TEST_P(SqlSessionPoolTest, AForgottenSessionMakesRoomForAnother) {
  SessionPool one = pool(1);
  { auto dropped = one.take({}); }
  one.forget();
  EXPECT_TRUE(one.take({}));
}

TEST_P(SqlSessionPoolTest, AStatementEndsAtTheDeadline) {
  SessionPool one = pool(1);
  CallOptions call;
  call.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  auto session = one.take(call);
  ASSERT_TRUE(session);
  try {
    int result = 0;
    (*session)->begin_call(call);
    (*session)->soci() << (is_mysql() ? "SELECT SLEEP(20)" : "SELECT 1 FROM pg_sleep(20)"), soci::into(result);
    EXPECT_TRUE(is_mysql() && result == 1) << "MariaDB's SLEEP says with 1 that it was interrupted";
  } catch (const soci::soci_error& error) {
    EXPECT_EQ(to_error(error).code, ErrorCode::deadline_exceeded);
  }
}

TEST_P(SqlSessionPoolTest, AConnectionThatComesTooLateServesTheNextCaller) {
  testing::Relay relay(options_.url);
  options_.url = relay.url();
  SessionPool one = pool(1);
  relay.hold();
  CallOptions call;
  call.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  EXPECT_EQ(one.take(call).error().code, ErrorCode::deadline_exceeded);
  relay.let_go();
  auto session = one.take({});
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(relay.connections(), 1) << "the one that was on its way";
}

TEST_P(SqlSessionPoolTest, WithoutThreadsACallIsUnavailableAndTheNextIsFine) {
  SessionPool one = pool(1);
  CallOptions in_time;
  in_time.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  {
    const testing::NoThreads no_threads;
    if (!no_threads.works()) GTEST_SKIP() << "the C library does not let its default stack size be set";
    for (const auto& call : {in_time, CallOptions{}}) {
      const auto session = one.take(call);
      ASSERT_FALSE(session);
      EXPECT_EQ(session.error().code, ErrorCode::unavailable) << session.error().message;
    }
  }
  EXPECT_TRUE(one.take(in_time));
}

TEST_P(SqlSessionPoolTest, WithoutDescriptorsACallIsUnavailableAndTheNextIsFine) {
  SessionPool one = pool(1);
  CallOptions in_time;
  in_time.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  for (const auto& call : {in_time, CallOptions{}}) {
    const testing::NoDescriptors no_descriptors;
    const auto session = one.take(call);
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().code, ErrorCode::unavailable) << session.error().message;
  }
  EXPECT_TRUE(one.take(in_time));
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlSessionPoolTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));

}  // namespace
}  // namespace ctxmgr::sql
