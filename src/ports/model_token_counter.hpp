#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctxmgr/ports/token_counter.hpp"
#include "media/image_tokens.hpp"

namespace ctxmgr {

/// Counts text as another counter does, and beside it what depends on the model: images and files by its rules, what its
/// chat template takes.
class ModelTokenCounter final : public TokenCounter {
 public:
  /// `texts` is not null.
  ModelTokenCounter(std::shared_ptr<const TokenCounter> texts, std::string_view model);

  [[nodiscard]] TokenCounterInfo info() const override;
  [[nodiscard]] std::int64_t count(std::string_view text) const override { return texts_->count(text); }
  [[nodiscard]] std::int64_t count_up_to(std::string_view text, std::int64_t limit) const override {
    return texts_->count_up_to(text, limit);
  }
  [[nodiscard]] std::int64_t count_message(const ConversationMessage& message) const override;
  [[nodiscard]] std::int64_t count_prompt(const std::vector<ConversationMessage>& messages) const override;
  [[nodiscard]] std::int64_t reply_priming_tokens() const override { return texts_->reply_priming_tokens(); }
  [[nodiscard]] std::int64_t count_tools(const std::vector<ToolDefinition>& tools) const override {
    return texts_->count_tools(tools);
  }

  /// What the template takes once for a request, beyond the start of the reply.
  [[nodiscard]] std::int64_t request_overhead() const { return request_overhead_; }

  /// False where a message holds a medium whose cost is an estimate, or what is sealed.
  [[nodiscard]] bool knows_media_of(const std::vector<ConversationMessage>& messages) const;

 private:
  /// What a part counts beside the words in it.
  struct Held {
    std::string text{};
    std::int64_t tokens = 0;  ///< Of its media and of what is sealed.
    bool has_media = false;
    bool is_exact = true;
  };
  [[nodiscard]] Held held_by(const ContentPart& part) const;

  /// A message as the other counter sees it, and what its media count.
  struct Words {
    ConversationMessage message{};
    std::int64_t media_tokens = 0;
  };
  [[nodiscard]] Words words_of(const ConversationMessage& message) const;

  std::shared_ptr<const TokenCounter> texts_;
  MediaRule rule_;
  std::int64_t message_overhead_ = 0;
  std::int64_t request_overhead_ = 0;
  mutable std::mutex mutex_;
  /// What pictures count, by hash and length: each is read once.
  mutable std::map<std::pair<std::size_t, std::size_t>, Held> seen_;
};

}  // namespace ctxmgr
