#include "session/sent_context.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/testing/manual_clock.hpp"
#include "session/thread_fixture.hpp"

namespace ctxmgr::session {
namespace {

TEST(SentContextTest, RowsAreReferredToAndEverythingElseIsAText) {
  const auto rows = numbered({says(Role::user, "as it is", "a"), answers("c", "a long result")});
  ConversationMessage masked = rows[1];
  masked.content = "[masked]";
  const auto sent = to_sent_messages({{Role::system, "prompt"}, rows[0], masked}, rows);
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0].message_json, R"({"role":"system","content":"prompt"})");
  EXPECT_EQ(sent[1].sequence_number, 1);
  EXPECT_EQ(sent[1].message_json, "");
  EXPECT_EQ(sent[2].sequence_number, 0);
}

TEST(SentContextTest, WhatIsOnlyKnownHereIsNotRecordedWithATextNorComparedWithARow) {
  auto rows = numbered({says(Role::user, "text", "a")});
  ConversationMessage sent = rows[0];
  sent.retention = Retention::pinned;
  sent.agent = "b";
  EXPECT_EQ(to_sent_messages({sent}, rows)[0].sequence_number, 1);
}

std::vector<ConversationMessage> varied(const std::vector<std::string>& strings) {
  std::vector<ConversationMessage> messages;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    ConversationMessage message = says(i % 2 ? Role::user : Role::assistant, strings[i], "agent");
    if (i % 3 == 0) message.tool_calls = {{strings[i], "t", strings[i], R"({"x":1})"}};
    if (i % 4 == 0) {
      message.content = std::vector<ContentPart>{
          {PartKind::text, strings[i], ""}, {PartKind::image, "", R"({"type":"image_url","image_url":{"url":"u"}})"}};
    }
    if (i % 5 == 0) message.content = MessageContent{};
    message.extra_json = i % 2 ? R"({"_ctxmgr":{"lc":1},"refusal":null})" : "";
    messages.push_back(message);
  }
  return messages;
}

RC_GTEST_PROP(SentContextTest, ReplayGivesTheBytesThatWereSent, (const std::vector<std::string>& strings)) {
  const auto store = make_memory_conversation_store();
  std::vector<ConversationMessage> rows;
  if (!strings.empty()) {
    RC_ASSERT(store->append("w", varied(strings), {}, {}).has_value());
    rows = *load_all(*store, "w");
  }
  std::vector<ConversationMessage> sent = rows;
  for (std::size_t i = 0; i < sent.size(); i += 3) sent[i].sequence_number.reset();
  sent.insert(sent.begin(), {Role::system, "prompt"});
  const auto replayed = from_sent_messages(to_sent_messages(sent, rows), *store, "w", {});
  RC_ASSERT(replayed.has_value());
  RC_ASSERT(to_openai_json(*replayed) == to_openai_json(sent));
}

/// Germans write 1.234,5, and Turks have an i without a dot. Debian has such locales as sources only.
class CompiledLocales {
 public:
  CompiledLocales() {
    const auto compile = "cd '" + folder_ +
                         "' && localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >log 2>&1"
                         " && localedef -i tr_TR -f UTF-8 ./tr_TR.UTF-8 >log 2>&1";
    is_there_ = std::system(compile.c_str()) == 0;  // NOLINT(cert-env33-c, concurrency-mt-unsafe)
    ::setenv("LOCPATH", folder_.c_str(), 1);        // NOLINT(concurrency-mt-unsafe): no other threads here
    ::setenv("TZ", "Asia/Kathmandu", 1);            // NOLINT(concurrency-mt-unsafe)
  }
  CompiledLocales(const CompiledLocales&) = delete;
  CompiledLocales& operator=(const CompiledLocales&) = delete;
  ~CompiledLocales() {
    (void)std::setlocale(LC_ALL, "C");  // NOLINT(concurrency-mt-unsafe)
    ::unsetenv("LOCPATH");              // NOLINT(concurrency-mt-unsafe)
    ::unsetenv("TZ");                   // NOLINT(concurrency-mt-unsafe)
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] bool are_there() const { return is_there_; }

 private:
  std::string pattern_ = (std::filesystem::temp_directory_path() / "ctxmgr-locales-XXXXXX").string();
  std::string folder_ = ::mkdtemp(pattern_.data());
  bool is_there_ = false;
};

TEST(SentContextTest, LocaleAndTimeZoneMakeNoDifference) {
  const auto rows = numbered(varied({"1234.5", "ä", "x"}));
  const auto bytes = [&] {
    std::string all;
    for (const auto& sent : to_sent_messages(varied({"1234.5", "ä", "x"}), rows)) all += sent.message_json;
    std::string table;
    for (int i = 0; i < 300; ++i) table += "TITLE INFO " + std::to_string(i) + " costs 1234.5\n";
    Context context;
    context.artifacts = {make_document("prices", table)};
    context.conversation_history = {{Role::user, "What does the INFO title cost, 1234.5?"}};
    ContextManagerOptions options;
    options.clock = std::make_shared<testing::ManualClock>();
    BuildRequest request;
    request.budget.max_input_tokens = 600;
    const auto built = ContextManager(options).build(context, request);
    EXPECT_TRUE(built);
    if (built) all += to_openai_json(built->messages) + to_json(built->metadata);
    return all;
  };
  const std::string before = bytes();
  const CompiledLocales locales;
  if (!locales.are_there()) GTEST_SKIP() << "skipped: localedef or the sources of locales are missing";
  for (const auto* name : {"de_DE.UTF-8", "tr_TR.UTF-8"}) {
    ASSERT_NE(std::setlocale(LC_ALL, name), nullptr);  // NOLINT(concurrency-mt-unsafe)
    ASSERT_EQ(std::string(std::localeconv()->decimal_point), ",") << "else this proves nothing";
    EXPECT_EQ(bytes(), before) << name;
  }
}

TEST(SentContextTest, ARowThatIsGoneIsBadData) {
  const auto store = make_memory_conversation_store();
  EXPECT_EQ(from_sent_messages({{7, ""}}, *store, "w", {}).error().code, ErrorCode::bad_data);
  EXPECT_EQ(from_sent_messages({{0, "not json"}}, *store, "w", {}).error().code, ErrorCode::bad_data);
}

TEST(SentContextTest, AReceiptOfManyArtifactsIsKeptWithoutTheSmallestThatWereLeftOut) {
  ContextUtilizationMetadata receipt;
  for (int i = 0; i < 2'000; ++i) {
    ArtifactUsageRecord record;
    record.artifact_id = "artifact " + std::to_string(i);
    record.original_tokens = i;
    record.processed_tokens = i == 3 ? 2 : 0;
    receipt.artifacts_processed.push_back(record);
  }
  const auto json = receipt_to_keep(receipt);
  EXPECT_LT(json.size(), 66'000U);
  const auto kept = from_json<ContextUtilizationMetadata>(json);
  ASSERT_TRUE(kept);
  ASSERT_GT(kept->artifacts_processed.size(), 100U);
  EXPECT_EQ(kept->artifacts_processed[0].artifact_id, "artifact 3") << "what was sent stays";
  EXPECT_EQ(kept->artifacts_processed[1].artifact_id, "artifact 1999");
  ASSERT_EQ(kept->notes.size(), 1U);
  EXPECT_EQ(kept->notes[0], "this receipt was kept without the records of " +
                                std::to_string(2'000 - kept->artifacts_processed.size()) +
                                " artifacts that were left out");
  receipt.artifacts_processed.resize(5);
  EXPECT_EQ(receipt_to_keep(receipt), to_json(receipt));
}

}  // namespace
}  // namespace ctxmgr::session
