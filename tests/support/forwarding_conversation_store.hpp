#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ctxmgr/ports/conversation_store.hpp"

namespace ctxmgr::testing {

/// Hands everything on to a store in memory; tests change or count one thing each.
class ForwardingConversationStore : public ConversationStore {
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

}  // namespace ctxmgr::testing
