#include <gmock/gmock.h>
#include <soci/soci.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "adapters/sql/relay.hpp"
#include "adapters/sql/server_fixture.hpp"
#include "ctxmgr/adapters/sql_conversation_store.hpp"
#include "ctxmgr/testing/conformance.hpp"
#include "support/appending_processes.hpp"
#include "support/workflow_on_store.hpp"

namespace ctxmgr {
namespace {

using ::testing::IsEmpty;

using SqlConversationStoreTest = testing::SqlServerTest;
using SqlConversationStoreThreadsTest = SqlConversationStoreTest;
using SqlConversationStoreTimingTest = SqlConversationStoreTest;

TEST_P(SqlConversationStoreThreadsTest, KeepsEveryPromiseOfThePort) {
  EXPECT_THAT(testing::check_conversation_store([this] {
                drop_tables();
                return open();
              }),
              IsEmpty());
}

TEST_P(SqlConversationStoreTest, EightProcessesOfEightThreadsNumberRowsWithoutGaps) {
  testing::expect_gapless_from_processes([this] { return open(); }, 8, 8, 4);
}

TEST_P(SqlConversationStoreTest, AKilledProcessLeavesNoHoleAndNoHalfBatch) {
  testing::expect_killed_process_leaves_no_hole([this] { return open(); }, 5);
}

TEST_P(SqlConversationStoreTimingTest, AHundredThousandMessagesAreStoredAndReadByThePage) {
  const auto store = open();
  std::vector<ConversationMessage> rows(100'000, {Role::user, "a short message of a long thread"});
  rows[77'777].retention = Retention::pinned;
  const auto range = store->append("w", rows, {}, {});
  ASSERT_TRUE(range) << range.error().message;
  MessageQuery newest;
  newest.newest_first = true;
  newest.limit = 5;
  EXPECT_EQ(store->load("w", newest, {})->back().sequence_number, 99'996);
  newest.fixed_only = true;
  EXPECT_EQ(store->load("w", newest, {})->front().sequence_number, 77'778);
}

TEST_P(SqlConversationStoreTest, AWorkflowSendsWhatItSendsOnAnyStoreAndReplaysIt) {
  testing::expect_same_contexts_and_replays([this] { return open(); });
}

TEST_P(SqlConversationStoreTest, AppendPruneAndReplayInSeveralProcessesAtOnce) {
  testing::expect_snapshots_under_concurrency([this] { return open(); });
}

TEST_P(SqlConversationStoreTest, ReopensALostConnection) {
  const auto store = open();
  ASSERT_TRUE(store->append("w", {{Role::user, "before"}}, {}, {}));
  const auto killer = raw();
  if (is_mysql()) {
    std::vector<long long> others(100);
    *killer << "SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND command = 'Sleep' AND "
               "user = substring_index(current_user(), '@', 1)",
        soci::into(others);
    for (const auto id : others) *killer << "KILL " << id;
  } else {
    int killed = 0;
    *killer << "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
               "state = 'idle' AND datname = current_database()",
        soci::into(killed);
  }
  const auto range = store->append("w", {{Role::user, "after"}}, {}, {});
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_EQ(range->first, 2);
}

TEST_P(SqlConversationStoreTest, ConnectionsThatDiedWhileNobodyUsedThemFailNoCall) {
  testing::Relay relay(options_.url);
  options_.url = relay.url();
  const auto store = open();
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  const auto eight_calls = [&] {
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        CallOptions call;
        call.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        if (!store->append("w", {{Role::user, "a"}}, {}, call)) ++failed;
      });
    }
    for (auto& thread : threads) thread.join();
    threads.clear();
  };
  eight_calls();
  relay.cut();
  eight_calls();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(store->load("w", {}, {})->size(), 16U);
}

TEST_P(SqlConversationStoreTest, NoKindOfCallFailsOnAConnectionThatDiedBeforeIt) {
  testing::Relay relay(options_.url);
  options_.url = relay.url();
  const auto store = open();
  ASSERT_TRUE(store->append("w", {{Role::user, "a"}}, {}, {}));
  SentContext sent;
  sent.messages = {{0, "{}"}};
  const auto cut_before = [&](const auto& call) {
    relay.cut();
    const auto result = call();
    return result ? std::string("fine") : result.error().message;
  };
  EXPECT_EQ(cut_before([&] { return store->append("w", {{Role::user, "b"}}, {}, {}); }), "fine");
  EXPECT_EQ(cut_before([&] { return store->load("w", {}, {}); }), "fine");
  EXPECT_EQ(cut_before([&] { return store->list("", "", 9, {}); }), "fine");
  EXPECT_EQ(cut_before([&] { return store->info("w", {}); }), "fine");
  EXPECT_EQ(cut_before([&] { return store->set_status("w", ConversationStatus::active, {}); }), "fine");
  EXPECT_EQ(cut_before([&] { return store->record_step("w", sent, {}); }), "fine");
  EXPECT_EQ(cut_before([&] { return store->load_step("w", 1, {}); }), "fine");
  EXPECT_EQ(cut_before([&] { return store->erase("w", {}); }), "fine");
  EXPECT_GE(relay.connections(), 8);
}

TEST_P(SqlConversationStoreTest, WhatTheServerRemarksIsNotPrinted) {
  if (is_mysql()) GTEST_SKIP() << "skipped: PostgreSQL's client alone prints";
  const auto store = open();
  *raw() << "CREATE OR REPLACE FUNCTION remark() RETURNS trigger AS "
            "$$ BEGIN RAISE WARNING 'canary'; RETURN NEW; END $$ LANGUAGE plpgsql";
  *raw() << "CREATE TRIGGER remarks BEFORE INSERT ON conversation_messages FOR EACH ROW EXECUTE FUNCTION remark()";
  ::testing::internal::CaptureStderr();
  const auto appended = store->append("w", {{Role::user, "a"}}, {}, {});
  const auto another = open();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(appended);
}

TEST_P(SqlConversationStoreTest, AStepThatIsErasedMeanwhileIsWholeOrAbsent) {
  testing::expect_steps_whole_or_absent([this] { return open(); }, 300);
}

TEST_P(SqlConversationStoreTest, ASilentServerEndsNoCallLaterThanItsDeadline) {
  testing::Relay relay(options_.url);
  options_.url = relay.url();
  const auto store = open();
  ASSERT_TRUE(store->append("w", {{Role::user, "a"}}, {}, {}));
  relay.hold();
  const auto in_time = [] {
    CallOptions call;
    call.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    return call;
  };
  const auto code = [](const auto& result) { return result ? ErrorCode::internal : result.error().code; };
  SentContext sent;
  sent.messages = {{0, "{}"}};
  EXPECT_EQ(code(store->append("w", {{Role::user, "b"}}, {}, in_time())), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code(store->load("w", {}, in_time())), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code(store->list("", "", 9, in_time())), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code(store->info("w", in_time())), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code(store->set_status("w", ConversationStatus::archived, in_time())), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code(store->record_step("w", sent, in_time())), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code(store->load_step("w", 1, in_time())), ErrorCode::deadline_exceeded);
  EXPECT_EQ(code(store->erase("w", in_time())), ErrorCode::deadline_exceeded);
  relay.let_go();
  EXPECT_TRUE(store->append("w", {{Role::user, "c"}}, {}, {}));
}

TEST_P(SqlConversationStoreTimingTest, ASilentServerCostsAQuarterOfASecondAtMost) {
  testing::Relay relay(options_.url);
  options_.url = relay.url();
  const auto store = open();
  ASSERT_TRUE(store->append("w", {{Role::user, "a"}}, {}, {}));
  relay.hold();
  for (int i = 0; i < 10; ++i) {
    CallOptions call;
    call.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    (void)store->load("w", {}, call);
    const auto late = std::chrono::steady_clock::now() - *call.deadline;
    EXPECT_LT(late, std::chrono::milliseconds(250));
    std::printf("%d: %lld ms after a deadline of 2 s\n", i,
                static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(late).count()));
  }
}

TEST_P(SqlConversationStoreTest, ADatabaseBehindAPoolerIsRefusedClearly) {
  if (is_mysql()) GTEST_SKIP() << "skipped: PostgreSQL's alone";
  testing::Relay pooler(options_.url);
  pooler.forge_process_ids();
  options_.url = pooler.url();
  const auto store = make_sql_conversation_store(options_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(store.error().message, ::testing::HasSubstr("connection pooler"));
}

TEST_P(SqlConversationStoreTest, NamesTheRowsThatAreMissing) {
  const auto store = open();
  ASSERT_TRUE(store->append("w", std::vector<ConversationMessage>(12, {Role::user, "row"}), {}, {}));
  *raw() << "DELETE FROM conversation_messages WHERE sequence_number IN (4, 5, 12)";
  const auto all = store->load("w", {}, {});
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, ErrorCode::bad_data);
  EXPECT_THAT(all.error().message, ::testing::HasSubstr("rows 4 to 5, 12 of the conversation are missing"));
  EXPECT_EQ(store->load("w", {1, 3}, {})->size(), 3U);
  *raw() << "UPDATE conversation_messages SET content = 'edited' WHERE sequence_number = 7";
  MessageQuery whole;
  whole.skip_damaged = true;
  EXPECT_EQ(store->load("w", whole, {})->size(), 8U);
}

TEST_P(SqlConversationStoreTest, TextThatIsSqlIsText) {
  testing::expect_sql_is_text([this] { return open(); });
}

TEST_P(SqlConversationStoreTest, FlagsARowThatSomebodyEdited) {
  const auto store = open();
  ASSERT_TRUE(store->append("w", {{Role::user, "pay 10"}}, {}, {}));
  *raw() << "UPDATE conversation_messages SET content = 'pay 1000'";
  EXPECT_EQ(store->load("w", {}, {}).error().code, ErrorCode::bad_data);
}

TEST_P(SqlConversationStoreTest, KeepsTextReadableForPeopleWithAClient) {
  const auto store = open();
  ASSERT_TRUE(store->append("thread-1", {{Role::user, "Grüße 🚀"}}, {}, {}));
  std::string content, name;
  *raw() << "SELECT content, name FROM conversation_messages m JOIN workflows w ON w.id = m.workflow_id",
      soci::into(content), soci::into(name);
  EXPECT_EQ(content, "Grüße 🚀");
  EXPECT_EQ(name, "thread-1");
}

TEST_P(SqlConversationStoreTest, ALockHeldTooLongEndsAtTheDeadline) {
  const auto store = open();
  ASSERT_TRUE(store->append("w", {{Role::user, "a"}}, {}, {}));
  auto holder = raw();
  soci::transaction transaction(*holder);
  long long id = 0;
  *holder << "SELECT id FROM workflows FOR UPDATE", soci::into(id);
  CallOptions call;
  call.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  const auto range = store->append("w", {{Role::user, "b"}}, {}, call);
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().code, ErrorCode::deadline_exceeded);
  transaction.rollback();
  EXPECT_EQ(store->append("w", {{Role::user, "b"}}, {}, {})->first, 2);
}

/// New connections of the test's database take no writes while this lives, as those to a replica do not.
class ReadOnly {
 public:
  ReadOnly(std::unique_ptr<soci::session> session, bool is_mysql) : session_(std::move(session)), is_mysql_(is_mysql) {
    set(true);
  }
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;
  ~ReadOnly() { set(false); }

 private:
  void set(bool on) {
    if (is_mysql_) {
      *session_ << "SET GLOBAL tx_read_only = " << (on ? "1" : "0");
    } else {
      *session_ << "ALTER ROLE ctxmgr SET default_transaction_read_only = " << (on ? "on" : "off");
    }
  }
  std::unique_ptr<soci::session> session_;
  bool is_mysql_;
};

TEST_P(SqlConversationStoreTest, AServerThatTakesNoWritesIsReadAndSaysSo) {
  ASSERT_TRUE(open()->append("w", {{Role::user, "before"}}, {}, {}));
  {
    auto changing = raw();
    if (!is_mysql()) *changing << "SET default_transaction_read_only = off";
    const ReadOnly read_only(std::move(changing), is_mysql());
    const auto store = open();
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(store->load("w", {}, {})->size(), 1U);
    const auto written = store->append("w", {{Role::user, "lost"}}, {}, {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::unavailable) << written.error().message;
    EXPECT_THAT(written.error().message, ::testing::HasSubstr("takes no writes"));
  }
  EXPECT_EQ(open()->append("w", {{Role::user, "after"}}, {}, {})->first, 2);
}

TEST_P(SqlConversationStoreTest, AWrongPasswordIsDeniedAndNotRepeated) {
  SqlOptions wrong = options_;
  const auto at = wrong.url.find('@');
  ASSERT_NE(at, std::string::npos);
  wrong.url = wrong.url.substr(0, wrong.url.find("://") + 3) + "nobody_here:canary-password" + wrong.url.substr(at);
  const auto store = make_sql_conversation_store(wrong);
  if (store) GTEST_SKIP() << "skipped: this server lets everybody in";
  EXPECT_EQ(store.error().message.find("canary"), std::string::npos);
  EXPECT_EQ(store.error().message.find("nobody_here"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Servers, SqlConversationStoreTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));
INSTANTIATE_TEST_SUITE_P(Servers, SqlConversationStoreThreadsTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));
INSTANTIATE_TEST_SUITE_P(Servers, SqlConversationStoreTimingTest,
                         ::testing::Values("CTXMGR_TEST_POSTGRESQL_URL", "CTXMGR_TEST_MYSQL_URL"));

TEST(SqlConversationStoreOpenTest, WithoutAServerItIsUnavailable) {
  SqlOptions options;
  options.url = "postgresql://u:canary@127.0.0.1:1/d";
  const auto store = make_sql_conversation_store(options);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::unavailable);
  EXPECT_EQ(store.error().message.find("canary"), std::string::npos);
}

}  // namespace
}  // namespace ctxmgr
