#pragma once
#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// Only what a model is sent of a message: neither when it was written nor where it is stored.
[[nodiscard]] inline ConversationMessage as_sent(ConversationMessage message) {
  message.reasoning_steps.clear();
  message.sequence_number.reset();
  message.agent.clear();
  message.created_at.reset();
  message.retention = Retention::normal;
  message.summary_of.reset();
  return message;
}

}  // namespace ctxmgr
