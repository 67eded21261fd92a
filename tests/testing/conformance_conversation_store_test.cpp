#include <gmock/gmock.h>

#include "ctxmgr/testing/conformance.hpp"

namespace ctxmgr::testing {
namespace {

/// Hands everything on to a store that is right; tests break one thing each.
class Wrapper : public ConversationStore {
 public:
  Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                               const AppendOptions& options, const CallOptions& call) override {
    return inner_->append(id, messages, options, call);
  }
  Result<std::vector<ConversationMessage>> load(std::string_view id, const MessageQuery& query,
                                                const CallOptions& call) override {
    return inner_->load(id, query, call);
  }
  Result<std::vector<ConversationInfo>> list(std::string_view prefix, std::string_view after, std::size_t limit,
                                             const CallOptions& call) override {
    return inner_->list(prefix, after, limit, call);
  }
  Result<std::optional<ConversationInfo>> info(std::string_view id, const CallOptions& call) override {
    return inner_->info(id, call);
  }
  Result<void> set_status(std::string_view id, ConversationStatus status, const CallOptions& call) override {
    return inner_->set_status(id, status, call);
  }
  Result<std::int64_t> record_step(std::string_view id, const SentContext& sent, const CallOptions& call) override {
    return inner_->record_step(id, sent, call);
  }
  Result<SentContext> load_step(std::string_view id, std::int64_t step, const CallOptions& call) override {
    return inner_->load_step(id, step, call);
  }
  Result<void> erase(std::string_view id, const CallOptions& call) override { return inner_->erase(id, call); }

 protected:
  std::unique_ptr<ConversationStore> inner_ = make_memory_conversation_store();
};

TEST(ConversationStoreConformanceThreadsTest, MemoryStoreKeepsEveryPromise) {
  EXPECT_THAT(check_conversation_store(make_memory_conversation_store), ::testing::IsEmpty());
}

TEST(ConversationStoreConformanceTest, NoticesAStoreThatForgetsIdempotencyKeys) {
  class Forgetful : public Wrapper {
    Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                                 const AppendOptions& options, const CallOptions& call) override {
      AppendOptions without = options;
      without.idempotency_key.clear();
      return Wrapper::append(id, messages, without, call);
    }
  };
  EXPECT_THAT(check_conversation_store([] { return std::make_unique<Forgetful>(); }),
              ::testing::Contains("a repeated append adds nothing"));
}

TEST(ConversationStoreConformanceTest, NoticesAStoreThatCutsAtNul) {
  class CString : public Wrapper {
    Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                                 const AppendOptions& options, const CallOptions& call) override {
      auto cut = messages;
      for (auto& message : cut) message.agent = message.agent.c_str();
      return Wrapper::append(id, cut, options, call);
    }
  };
  EXPECT_THAT(check_conversation_store([] { return std::make_unique<CString>(); }),
              ::testing::Contains(::testing::StartsWith("every field comes back as it was")));
}

TEST(ConversationStoreConformanceTest, NoticesAStoreThatErasesNothing) {
  class Keeper : public Wrapper {
    Result<void> erase(std::string_view, const CallOptions&) override { return {}; }
  };
  EXPECT_THAT(check_conversation_store([] { return std::make_unique<Keeper>(); }),
              ::testing::Contains("nothing is left"));
}

TEST(ConversationStoreConformanceTest, NoticesAStoreThatPagesTheWrongWay) {
  class Backwards : public Wrapper {
    Result<std::vector<ConversationMessage>> load(std::string_view id, const MessageQuery& query,
                                                  const CallOptions& call) override {
      MessageQuery other = query;
      other.order = MessageOrder::oldest_first;
      return Wrapper::load(id, other, call);
    }
  };
  EXPECT_THAT(check_conversation_store([] { return std::make_unique<Backwards>(); }),
              ::testing::Contains("limit, newest first"));
}

}  // namespace
}  // namespace ctxmgr::testing
