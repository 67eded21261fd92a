#include <gmock/gmock.h>

#include "ctxmgr/testing/conformance.hpp"
#include "support/forwarding_conversation_store.hpp"

namespace ctxmgr::testing {
namespace {

TEST(ConversationStoreConformanceThreadsTest, MemoryStoreKeepsEveryPromise) {
  EXPECT_THAT(check_conversation_store(make_memory_conversation_store), ::testing::IsEmpty());
}

TEST(ConversationStoreConformanceTest, NoticesAStoreThatForgetsIdempotencyKeys) {
  class Forgetful : public ForwardingConversationStore {
    Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                                 const AppendOptions& options, const CallOptions& call) override {
      AppendOptions without = options;
      without.idempotency_key.clear();
      return ForwardingConversationStore::append(id, messages, without, call);
    }
  };
  EXPECT_THAT(check_conversation_store([] { return std::make_unique<Forgetful>(); }),
              ::testing::Contains("a repeated append adds nothing"));
}

TEST(ConversationStoreConformanceTest, NoticesAStoreThatCutsAtNul) {
  class CString : public ForwardingConversationStore {
    Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                                 const AppendOptions& options, const CallOptions& call) override {
      auto cut = messages;
      for (auto& message : cut) message.agent = message.agent.c_str();
      return ForwardingConversationStore::append(id, cut, options, call);
    }
  };
  EXPECT_THAT(check_conversation_store([] { return std::make_unique<CString>(); }),
              ::testing::Contains(::testing::StartsWith("every field comes back as it was")));
}

TEST(ConversationStoreConformanceTest, NoticesAStoreThatErasesNothing) {
  class Keeper : public ForwardingConversationStore {
    Result<void> erase(std::string_view, const CallOptions&) override { return {}; }
  };
  EXPECT_THAT(check_conversation_store([] { return std::make_unique<Keeper>(); }),
              ::testing::Contains("nothing is left"));
}

TEST(ConversationStoreConformanceTest, NoticesAStoreThatPagesTheWrongWay) {
  class Backwards : public ForwardingConversationStore {
    Result<std::vector<ConversationMessage>> load(std::string_view id, const MessageQuery& query,
                                                  const CallOptions& call) override {
      MessageQuery other = query;
      other.newest_first = false;
      return ForwardingConversationStore::load(id, other, call);
    }
  };
  EXPECT_THAT(check_conversation_store([] { return std::make_unique<Backwards>(); }),
              ::testing::Contains("limit, newest first"));
}

}  // namespace
}  // namespace ctxmgr::testing
