#pragma once
#include <cstdint>
#include <string_view>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxpack::test {

/// A character is a token; so is the framing of a message.
class CharacterCounter final : public ctxmgr::TokenCounter {
 public:
  [[nodiscard]] ctxmgr::TokenCounterInfo info() const override { return {}; }
  [[nodiscard]] std::int64_t count(std::string_view text) const override {
    return static_cast<std::int64_t>(text.size());
  }
  [[nodiscard]] std::int64_t count_message(const ctxmgr::ConversationMessage& message) const override {
    return 1 + count(ctxmgr::text_of(message));
  }
};

}  // namespace ctxpack::test
