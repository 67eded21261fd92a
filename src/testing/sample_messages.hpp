#pragma once
#include <cstdint>
#include <string>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/timestamp.hpp"

/// \file
/// Messages that a store has to keep as they are.
namespace ctxmgr::testing {

[[nodiscard]] Timestamp at_ms(std::int64_t milliseconds);

/// Every byte there is, in no valid encoding, with a NUL in the middle.
[[nodiscard]] std::string all_bytes();

extern const std::string unicode_text;

/// A message with each field set, `text` wherever text may stand.
[[nodiscard]] ConversationMessage everything_set(const std::string& text);

/// Whether all is equal but what the store gives: number and, where it is not set, time.
[[nodiscard]] bool same_message(const ConversationMessage& a, const ConversationMessage& b);

}  // namespace ctxmgr::testing
