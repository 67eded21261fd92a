#include "ctxmgr/session/conversation.hpp"

#include <iterator>
#include <utility>

#include "core/instruction_role.hpp"

namespace ctxmgr {
namespace {

Result<void> expect_nothing_stored(ConversationStore& store, std::string_view conversation_id,
                                   const CallOptions& call) {
  const auto info = store.info(conversation_id, call);
  if (!info) return tl::unexpected(info.error());
  if (*info && (*info)->last_sequence > 0) return fail(ErrorCode::conflict, "the conversation is not new");
  return {};
}

}  // namespace

Result<std::vector<ConversationMessage>> load_all(ConversationStore& store, std::string_view conversation_id,
                                                  MessageQuery query, const CallOptions& call) {
  std::vector<ConversationMessage> all;
  while (true) {
    auto page = store.load(conversation_id, query, call);
    if (!page) return page;
    const bool last_page = page->size() < query.limit || page->empty();
    const std::int64_t end = page->empty() ? 0 : page->back().sequence_number.value_or(0);
    all.insert(all.end(), std::make_move_iterator(page->begin()), std::make_move_iterator(page->end()));
    if (last_page) return all;
    // Such a store would give the same page for ever.
    if (query.newest_first ? end > query.last_sequence : end < query.first_sequence)
      return fail(ErrorCode::bad_data, "the store gave messages that were not asked for");
    (query.newest_first ? query.last_sequence : query.first_sequence) = query.newest_first ? end - 1 : end + 1;
  }
}

Result<std::vector<ConversationMessage>> build_llm_messages(const std::vector<ConversationMessage>& request_messages,
                                                            ConversationContext mode, ConversationStore* store,
                                                            std::string_view conversation_id, const CallOptions& call) {
  if (mode == ConversationContext::new_conversation && store) {
    if (auto fresh = expect_nothing_stored(*store, conversation_id, call); !fresh) {
      return tl::unexpected(fresh.error());
    }
  }
  if (mode != ConversationContext::continuing) return request_messages;
  if (!store) return fail(ErrorCode::invalid_argument, "a continuing conversation needs a store");

  auto stored = load_all(*store, conversation_id, {}, call);
  if (!stored) return stored;
  if (stored->empty()) return fail(ErrorCode::not_found, "no such conversation");
  std::vector<ConversationMessage> messages;
  messages.reserve(request_messages.size() + stored->size());
  for (const auto& message : request_messages) {
    if (is_instruction(message)) messages.push_back(message);
  }
  for (auto& message : *stored) {
    if (!is_instruction(message) && !message.summary_of) messages.push_back(std::move(message));
  }
  for (const auto& message : request_messages) {
    if (!is_instruction(message)) messages.push_back(message);
  }
  return messages;
}

LlmRequest merge_conversation_history(const std::vector<ConversationMessage>& history, LlmRequest request) {
  request.messages.insert(request.messages.begin(), history.begin(), history.end());
  return request;
}

}  // namespace ctxmgr
