#include <gmock/gmock.h>
#include <sqlite3.h>

#include <atomic>
#include <fstream>
#include <iterator>

#include "adapters/sqlite/temporary_file.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/testing/conformance.hpp"
#include "support/appending_processes.hpp"
#include "support/forwarding_conversation_store.hpp"
#include "support/no_descriptors.hpp"
#include "support/page_queries.hpp"
#include "support/sanitizers.hpp"
#include "support/workflow_on_store.hpp"

namespace ctxmgr {
namespace {

using ::testing::IsEmpty;

std::unique_ptr<ConversationStore> open(const std::string& path, bool exclusive = false) {
  SqliteOptions options;
  options.path = path;
  options.exclusive = exclusive;
  options.busy_timeout = std::chrono::seconds(60);
  auto store = make_sqlite_conversation_store(options);
  EXPECT_TRUE(store) << store.error().message;
  return store ? std::move(*store) : nullptr;
}

void execute(const std::string& path, const char* sql) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(connection);
}

class SqliteConversationStoreTest : public ::testing::Test {
 protected:
  testing::TemporaryDirectory directory_;
  std::string path_ = directory_.file("threads.db");
};

using SqliteConversationStoreThreadsTest = SqliteConversationStoreTest;

TEST_F(SqliteConversationStoreThreadsTest, KeepsEveryPromiseOfThePort) {
  for (const bool exclusive : {false, true}) {
    std::atomic<int> number = 0;
    EXPECT_THAT(testing::check_conversation_store([&] {
                  return open(
                      directory_.file(std::to_string(static_cast<int>(exclusive)) + "_" + std::to_string(number++)),
                      exclusive);
                }),
                IsEmpty());
  }
}

TEST_F(SqliteConversationStoreTest, TheQueriesOfThePageFindWhatTheyAreFor) {
  ASSERT_TRUE(testing::append_report_thread(*open(path_)));
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &connection), SQLITE_OK);
  const auto queries = testing::queries_of_page(CTXMGR_TEST_WORKFLOWS_PAGE);
  EXPECT_EQ(queries.size(), 5U);
  for (const auto& query : queries) {
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(connection, query.c_str(), -1, &statement, nullptr), SQLITE_OK) << query;
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW) << query;
    sqlite3_finalize(statement);
  }
  sqlite3_close(connection);
}

TEST_F(SqliteConversationStoreTest, EightProcessesOfEightThreadsNumberRowsWithoutGaps) {
  testing::expect_gapless_from_processes([this] { return open(path_); }, 8, 8, 4);
}

TEST_F(SqliteConversationStoreTest, AKilledProcessLeavesNoHoleAndNoHalfBatch) {
  testing::expect_killed_process_leaves_no_hole([this] { return open(path_); }, 8);
}

TEST_F(SqliteConversationStoreTest, AWorkflowSendsWhatItSendsOnAnyStoreAndReplaysIt) {
  testing::expect_same_contexts_and_replays([this] { return open(path_); });
}

TEST_F(SqliteConversationStoreTest, AppendPruneAndReplayInSeveralProcessesAtOnce) {
  testing::expect_snapshots_under_concurrency([this] { return open(path_); });
}

TEST_F(SqliteConversationStoreTest, AKilledPruneIsDoneOrNot) {
  testing::expect_killed_prunes_are_all_or_nothing([this] { return open(path_); }, testing::kills_of(10));
}

/// As a library left it that knew session state only.
void make_first_version(const std::string& path) {
  SqliteOptions options;
  options.path = path;
  ASSERT_TRUE((*make_sqlite_key_value_store(options))->write("n", {{"k", "kept", {}, {}}}, {}));
  execute(path,
          "DROP TABLE workflow_texts; DROP TABLE workflow_steps; DROP TABLE conversation_messages;"
          " DROP TABLE workflows; PRAGMA user_version = 1");
}

TEST_F(SqliteConversationStoreTest, ManyProcessesMayUpgradeAnOldFileAtOnce) {
  for (int round = 0; round < 10; ++round) {
    const auto path = directory_.file("old" + std::to_string(round));
    make_first_version(path);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::vector<pid_t> children;
    for (int p = 0; p < 4; ++p) {
      children.push_back(testing::in_process([&] {
        ::close(ends[1]);
        char nothing = 0;
        (void)!::read(ends[0], &nothing, 1);  // until all of them are there
        const auto threads = open(path);
        return threads && threads->append("w", {{Role::user, std::to_string(p)}}, {}, {}).has_value();
      }));
    }
    ::close(ends[0]);
    ::close(ends[1]);
    for (const pid_t child : children) {
      int status = 1;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0) << "round " << round;
    }
    EXPECT_EQ(open(path)->load("w", {}, {})->size(), 4U);
    SqliteOptions options;
    options.path = path;
    EXPECT_EQ((*make_sqlite_key_value_store(options))->read("n", {"k"}, {}).value()[0].value().value, "kept");
  }
}

TEST_F(SqliteConversationStoreTest, TextThatIsSqlIsText) {
  testing::expect_sql_is_text([this] { return open(path_); });
}

/// A host's own store around this one, that lets no word pass.
class RedactingStore final : public testing::ForwardingConversationStore {
 public:
  RedactingStore(std::unique_ptr<ConversationStore> inner, std::string secret) : secret_(std::move(secret)) {
    inner_ = std::move(inner);
  }
  Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                               const AppendOptions& options, const CallOptions& call) override {
    auto redacted = messages;
    for (auto& message : redacted) message.content = without_secret(text_of(message));
    return inner_->append(id, redacted, options, call);
  }
  Result<std::int64_t> record_step(std::string_view id, const SentContext& sent, const CallOptions& call) override {
    auto redacted = sent;
    for (auto& message : redacted.messages) message.message_json = without_secret(message.message_json);
    return inner_->record_step(id, redacted, call);
  }

 private:
  std::string without_secret(std::string text) const {
    for (auto at = text.find(secret_); at != std::string::npos; at = text.find(secret_))
      text.replace(at, secret_.size(), "***");
    return text;
  }
  std::string secret_;
};

TEST_F(SqliteConversationStoreTest, AStoreAroundItMayRedactBeforeAnythingIsWritten) {
  const std::string canary = "canary-sk-4711";
  auto workflow = testing::workflow_on(std::make_shared<RedactingStore>(open(path_), canary));
  ASSERT_TRUE(workflow.append({{Role::user, "my key is " + canary}}));
  auto turn = testing::asking("what is " + canary + "?");
  turn.system_prompt = "It is " + canary;
  const auto context = workflow.context_for(turn);
  ASSERT_TRUE(context) << context.error().message;
  for (const auto* suffix : {"", "-journal", "-wal"}) {
    std::ifstream file(path_ + suffix, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(bytes.find(canary), std::string::npos) << suffix;
  }
  EXPECT_THAT(to_openai_json(*workflow.replay(1)), ::testing::HasSubstr("It is ***"));
}

TEST_F(SqliteConversationStoreTest, OneFileHoldsBothStoresAndIsReopened) {
  SqliteOptions options;
  options.path = path_;
  const auto values = make_sqlite_key_value_store(options);
  ASSERT_TRUE(values);
  ASSERT_TRUE(open(path_)->append("w", {{Role::user, "kept"}}, {}, {}));
  EXPECT_EQ(text_of(open(path_)->load("w", {}, {})->at(0)), "kept");
}

TEST_F(SqliteConversationStoreTest, ErasedBytesAreGoneFromEveryFile) {
  for (const bool exclusive : {false, true}) {
    const std::string path = directory_.file("erase" + std::to_string(static_cast<int>(exclusive)));
    const auto store = open(path, exclusive);
    const std::string canary = "canary-7f3a-content";
    std::vector<ConversationMessage> rows(50, {Role::user, canary});
    rows.push_back({Role::user, canary + std::string(100'000, 'x')});
    rows[0].agent = canary;
    AppendOptions once;
    once.idempotency_key = canary;
    ASSERT_TRUE(store->append(canary, rows, once, {}));
    ASSERT_TRUE(store->append("other", {{Role::user, "stays"}}, {}, {}));
    SentContext sent;
    sent.thread_state = canary;
    sent.messages = {{0, canary}, {1, ""}};
    ASSERT_TRUE(store->record_step(canary, sent, {}));
    ASSERT_TRUE(store->erase(canary, {}));
    bool found_other = false;
    for (const auto* suffix : {"", "-journal", "-wal"}) {
      std::ifstream file(path + suffix, std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)), {});
      EXPECT_EQ(bytes.find(canary), std::string::npos) << suffix;
      EXPECT_EQ(bytes.find("63616e6172792d"), std::string::npos) << suffix << ": the id's hex digits";
      found_other |= bytes.find("stays") != std::string::npos;
    }
    EXPECT_TRUE(found_other);
  }
}

TEST_F(SqliteConversationStoreTest, FlagsARowThatSomebodyEdited) {
  ASSERT_TRUE(open(path_)->append("w", {{Role::user, "pay 10"}}, {}, {}));
  execute(path_, "UPDATE conversation_messages SET role = 'system'");
  EXPECT_EQ(open(path_)->load("w", {}, {}).error().code, ErrorCode::bad_data);
}

TEST_F(SqliteConversationStoreTest, NamesTheRowsThatAreMissing) {
  ASSERT_TRUE(open(path_)->append("w", std::vector<ConversationMessage>(12, {Role::user, "row"}), {}, {}));
  execute(path_, "DELETE FROM conversation_messages WHERE sequence_number IN (4, 5, 9, 12)");
  const auto store = open(path_);
  const auto all = store->load("w", {}, {});
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, ErrorCode::bad_data);
  EXPECT_THAT(all.error().message, ::testing::HasSubstr("rows 4 to 5, 9, 12 of the conversation are missing"));
  MessageQuery newest;
  newest.newest_first = true;
  newest.limit = 3;
  EXPECT_THAT(store->load("w", newest, {}).error().message, ::testing::HasSubstr("rows 9, 12 of"));
  MessageQuery whole_part{1, 3};
  EXPECT_EQ(store->load("w", whole_part, {})->size(), 3U);
  MessageQuery after_the_end{13, 20};
  EXPECT_TRUE(store->load("w", after_the_end, {})->empty());
}

TEST_F(SqliteConversationStoreTest, WhatIsWholeOfADamagedConversationIsReadAndForkedWithNotes) {
  std::vector<ConversationMessage> rows;
  for (int i = 1; i <= 12; ++i) rows.push_back({Role::user, "row " + std::to_string(i)});
  ASSERT_TRUE(open(path_)->append("w", rows, {}, {}));
  execute(path_, "DELETE FROM conversation_messages WHERE sequence_number IN (4, 5, 12)");
  execute(path_, "UPDATE conversation_messages SET content = 'edited' WHERE sequence_number = 7");
  const auto store = std::shared_ptr<ConversationStore>(open(path_));
  MessageQuery whole;
  whole.skip_damaged = true;
  EXPECT_EQ(store->load("w", whole, {})->size(), 8U);
  whole.limit = 4;
  EXPECT_EQ(store->load("w", whole, {})->back().sequence_number, 6);

  const auto damaged = testing::workflow_on(store);
  ForkRequest repair;
  repair.workflow_id = "w2";
  EXPECT_EQ(damaged.fork(repair).error().code, ErrorCode::bad_data);
  repair.skip_damaged = true;
  const auto repaired = damaged.fork(repair);
  ASSERT_TRUE(repaired) << repaired.error().message;
  const auto copied = *repaired->messages();
  ASSERT_EQ(copied.size(), 12U);
  EXPECT_EQ(text_of(copied[2]), "row 3");
  for (const std::size_t lost : {4U, 5U, 7U, 12U}) {
    EXPECT_EQ(text_of(copied[lost - 1]), "[Message " + std::to_string(lost) + " was lost.]");
  }
  EXPECT_EQ(text_of(copied[10]), "row 11");
}

TEST_F(SqliteConversationStoreTest, SixteenWritersInFourProcessesAreNeverBusy) {
  SqliteOptions options;
  options.path = path_;
  testing::expect_gapless_from_processes(
      [&] {
        auto store = make_sqlite_conversation_store(options);
        return store ? *std::move(store) : nullptr;
      },
      4, 4, 12);
}

TEST_F(SqliteConversationStoreTest, AStepThatIsErasedMeanwhileIsWholeOrAbsent) {
  testing::expect_steps_whole_or_absent([this] { return open(path_); }, 100);
}

TEST_F(SqliteConversationStoreTest, WithoutDescriptorsAWriteFailsAndTheNextIsFine) {
  if (CTXMGR_INSTRUMENTED) GTEST_SKIP() << "skipped: the sanitizer itself opens a pipe to look at an object";
  const auto store = open(path_);
  ASSERT_TRUE(store->append("w", {{Role::user, "a"}}, {}, {}));
  {
    const testing::NoDescriptors no_descriptors;
    SqliteOptions options;
    options.path = directory_.file("another.db");
    EXPECT_EQ(make_sqlite_conversation_store(options).error().code, ErrorCode::unavailable);
    const auto appended = store->append("w", {{Role::user, "b"}}, {}, {});
    EXPECT_TRUE(appended || appended.error().code == ErrorCode::unavailable) << appended.error().message;
  }
  EXPECT_TRUE(store->append("w", {{Role::user, "c"}}, {}, {}));
  EXPECT_EQ(text_of(open(path_)->load("w", {}, {})->back()), "c");
}

TEST_F(SqliteConversationStoreTest, FlagsALastNumberThatIsBehindTheRows) {
  ASSERT_TRUE(open(path_)->append("w", std::vector<ConversationMessage>(3, {Role::user, "row"}), {}, {}));
  execute(path_, "UPDATE workflows SET last_sequence = 2");
  EXPECT_EQ(open(path_)->load("w", {}, {}).error().code, ErrorCode::bad_data);
}

TEST_F(SqliteConversationStoreTest, FlagsAStepWhoseTextsWereEditedOrRemoved) {
  SentContext sent;
  sent.messages = {{0, "{}"}};
  ASSERT_TRUE(open(path_)->record_step("w", sent, {}));
  execute(path_, "UPDATE workflow_texts SET content = '[]'");
  EXPECT_EQ(open(path_)->load_step("w", 1, {}).error().code, ErrorCode::bad_data);
  execute(path_, "DELETE FROM workflow_texts");
  EXPECT_EQ(open(path_)->load_step("w", 1, {}).error().code, ErrorCode::bad_data);
}

TEST_F(SqliteConversationStoreTest, AHundredThousandMessagesAreStoredAndReadByThePage) {
  const auto store = open(path_, true);
  std::vector<ConversationMessage> rows(100'000, {Role::user, "a short message of a long thread"});
  rows[77'777].retention = Retention::pinned;
  ASSERT_EQ(store->append("w", rows, {}, {})->last, 100'000);
  MessageQuery newest;
  newest.newest_first = true;
  newest.limit = 5;
  EXPECT_EQ(store->load("w", newest, {})->back().sequence_number, 99'996);
  newest.fixed_only = true;
  EXPECT_EQ(store->load("w", newest, {})->front().sequence_number, 77'778);
}

TEST_F(SqliteConversationStoreTest, EqualTextsOfOneConversationAreKeptOnce) {
  const auto store = open(path_);
  SentContext sent;
  sent.messages = {{0, std::string(500'000, 's')}};
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(store->record_step("w", sent, {}));
  EXPECT_LT(std::ifstream(path_, std::ios::ate | std::ios::binary).tellg(), 1'000'000);
}

}  // namespace
}  // namespace ctxmgr
