#pragma once
#include <cstddef>
#include <cstdint>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// By what a model is told of a message: its number in its store, else its position from 1.
[[nodiscard]] inline std::int64_t number_of(const ConversationMessage& message, std::size_t position) {
  return message.sequence_number.value_or(static_cast<std::int64_t>(position) + 1);
}

}  // namespace ctxmgr
