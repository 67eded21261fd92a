#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/session/conversation.hpp"

/// \file
/// A small vocabulary for tests of shared threads.
namespace ctxmgr::session {

inline ConversationMessage says(Role role, std::string text, std::string agent = "",
                                Retention retention = Retention::normal) {
  ConversationMessage message{role, std::move(text)};
  message.agent = std::move(agent);
  message.retention = retention;
  return message;
}

inline ConversationMessage calls(std::string id, std::string agent = "", Retention retention = Retention::normal) {
  ConversationMessage message = says(Role::assistant, "calling", std::move(agent), retention);
  message.tool_calls = {{std::move(id), "search", "{}", ""}};
  return message;
}

inline ConversationMessage answers(std::string id, std::string text, std::string agent = "",
                                   Retention retention = Retention::normal) {
  ConversationMessage message = says(Role::tool, std::move(text), std::move(agent), retention);
  message.tool_call_id = std::move(id);
  return message;
}

inline ConversationMessage sums_up(SequenceRange range, std::string text, std::string agent = "") {
  ConversationMessage message = says(Role::user, std::move(text), std::move(agent));
  message.summary_of = range;
  return message;
}

inline std::vector<std::string> texts(const std::vector<ConversationMessage>& messages) {
  std::vector<std::string> all;
  for (const auto& message : messages) all.push_back(text_of(message));
  return all;
}

/// As a store gives them back.
inline std::vector<ConversationMessage> numbered(const std::vector<ConversationMessage>& messages) {
  const auto store = make_memory_conversation_store();
  (void)store->append("w", messages, {}, {});
  return *load_all(*store, "w");
}

}  // namespace ctxmgr::session
