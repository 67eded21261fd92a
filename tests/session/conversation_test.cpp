#include "ctxmgr/session/conversation.hpp"

#include <gmock/gmock.h>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "session/thread_fixture.hpp"
#include "support/forwarding_conversation_store.hpp"

namespace ctxmgr {
namespace {

using session::texts;
using ::testing::ElementsAre;

/// An assistant message as a host stores it: with the events of the run behind it.
ConversationMessage answer_after_search() {
  const std::vector<ReasoningEvent> events = {
      {ReasoningEventType::planning, 1,
       R"({"thought":"look it up","tool_predictions":[{"tool_name":"search",)"
       R"("arguments":{"q":"audit"},"reasoning":"facts"}]})",
       ""},
      {ReasoningEventType::tool_result, 1,
       R"({"tool_results":[{"tool_name":"search","success":true,"result":"Invoice 4711 was paid twice."}]})", ""}};
  ConversationMessage message{Role::assistant, "The audit found a double payment."};
  message.reasoning_steps = parse_reasoning_events_to_steps(events);
  return message;
}

class BuildLlmMessagesTest : public ::testing::Test {
 protected:
  std::unique_ptr<ConversationStore> store_ = make_memory_conversation_store();
  const std::vector<ConversationMessage> request_ = {{Role::system, "be brief"}, {Role::user, "Which invoice?"}};
};

TEST_F(BuildLlmMessagesTest, StatelessAndNewConversationsAreTheRequestAlone) {
  for (const auto mode : {ConversationContext::stateless, ConversationContext::new_conversation}) {
    EXPECT_THAT(texts(*build_llm_messages(request_, mode)), ElementsAre("be brief", "Which invoice?"));
  }
}

TEST_F(BuildLlmMessagesTest, AFollowUpFindsTheToolResultsOfTheEarlierTurn) {
  ASSERT_TRUE(store_->append(
      "c", {{Role::system, "stored, not used"}, {Role::user, "What did the audit find?"}, answer_after_search()}, {},
      {}));
  const auto messages = build_llm_messages(request_, ConversationContext::continuing, store_.get(), "c");
  ASSERT_TRUE(messages);
  EXPECT_THAT(texts(*messages), ElementsAre("be brief", "What did the audit find?", "The audit found a double payment.",
                                            "Which invoice?"));
  const auto artifacts = extract_artifacts_from_messages(*messages);
  ASSERT_EQ(artifacts.size(), 1U);
  EXPECT_EQ(artifacts[0].content, "Invoice 4711 was paid twice.");
  EXPECT_EQ(artifacts[0].source, "history:msg_3:search");
}

TEST_F(BuildLlmMessagesTest, ReadsLongConversationsWhole) {
  ASSERT_TRUE(store_->append("c", std::vector<ConversationMessage>(2'500, {Role::user, "x"}), {}, {}));
  EXPECT_EQ(build_llm_messages(request_, ConversationContext::continuing, store_.get(), "c")->size(), 2'502U);
}

TEST_F(BuildLlmMessagesTest, SummariesAreNotSentBesideWhatTheyStandFor) {
  ConversationMessage summary{Role::user, "summary"};
  summary.summary_of = SequenceRange{1, 1};
  ASSERT_TRUE(store_->append("c", {{Role::user, "raw"}, summary}, {}, {}));
  EXPECT_THAT(texts(*build_llm_messages({}, ConversationContext::continuing, store_.get(), "c")), ElementsAre("raw"));
}

TEST_F(BuildLlmMessagesTest, SaysWhatIsMissing) {
  const auto code = [&](ConversationContext mode, ConversationStore* store, const char* id) {
    return build_llm_messages(request_, mode, store, id).error().code;
  };
  EXPECT_EQ(code(ConversationContext::continuing, nullptr, "c"), ErrorCode::invalid_argument);
  EXPECT_EQ(code(ConversationContext::continuing, store_.get(), "c"), ErrorCode::not_found);
  ASSERT_TRUE(store_->append("c", {{Role::user, "raw"}}, {}, {}));
  EXPECT_EQ(code(ConversationContext::new_conversation, store_.get(), "c"), ErrorCode::conflict);
}

TEST(MergeConversationHistoryTest, HistoryComesBeforeTheMessagesOfTheCall) {
  LlmRequest request;
  request.model = "m";
  request.messages = {{Role::user, "new"}};
  const auto merged = merge_conversation_history({{Role::user, "old"}, {Role::assistant, "reply"}}, request);
  EXPECT_THAT(texts(merged.messages), ElementsAre("old", "reply", "new"));
  EXPECT_EQ(merged.model, "m");
  EXPECT_THAT(texts(merge_conversation_history({}, request).messages), ElementsAre("new"));
}

TEST(LoadAllTest, ReadsPageByPageInEitherOrder) {
  const auto store = make_memory_conversation_store();
  ASSERT_TRUE(store->append("c", std::vector<ConversationMessage>(10, {Role::user, "x"}), {}, {}));
  MessageQuery query;
  query.limit = 5;
  EXPECT_EQ(load_all(*store, "c", query)->size(), 10U);
  query.newest_first = true;
  query.first_sequence = 3;
  const auto newest = load_all(*store, "c", query);
  EXPECT_EQ(newest->front().sequence_number, 10);
  EXPECT_EQ(newest->back().sequence_number, 3);
}

/// Gives the first page whatever is asked for, a bounded number of times.
class FirstPageAlways final : public testing::ForwardingConversationStore {
 public:
  Result<std::vector<ConversationMessage>> load(std::string_view id, const MessageQuery& query,
                                                const CallOptions& call) override {
    if (++loads > 10) return fail(ErrorCode::internal, "asked for ever");
    auto asked = query;
    asked.first_sequence = 1;
    return ForwardingConversationStore::load(id, asked, call);
  }
  int loads = 0;
};

TEST(LoadAllTest, AStoreWhosePagesDoNotGoOnIsAnErrorAndNotALoopWithoutEnd) {
  FirstPageAlways store;
  ASSERT_TRUE(store.append("c", std::vector<ConversationMessage>(10, {Role::user, "x"}), {}, {}));
  MessageQuery query;
  query.limit = 5;
  EXPECT_EQ(load_all(store, "c", query).error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr
