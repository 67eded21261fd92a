#include "session/sent_context.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/as_sent.hpp"
#include "core/note.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/session/conversation.hpp"

namespace ctxmgr::session {
namespace {

// Rows that are not needed are read along, where that saves a query.
constexpr std::int64_t joined_gap = 32;

constexpr std::size_t most_receipt_bytes = std::size_t{64} << 10;

std::string sent_json(const ConversationMessage& message) { return to_json(as_sent(message)); }

}  // namespace

std::vector<SentMessage> to_sent_messages(const std::vector<ConversationMessage>& sent,
                                          const std::vector<ConversationMessage>& rows) {
  std::map<std::int64_t, const ConversationMessage*> rows_by_number;
  for (const auto& row : rows) {
    if (row.sequence_number) rows_by_number[*row.sequence_number] = &row;
  }
  std::vector<SentMessage> references;
  references.reserve(sent.size());
  for (const auto& message : sent) {
    const auto row = rows_by_number.find(message.sequence_number.value_or(0));
    std::string json = sent_json(message);
    if (row != rows_by_number.end() && json == sent_json(*row->second)) {
      references.push_back({row->first, {}});
    } else {
      references.push_back({0, std::move(json)});
    }
  }
  return references;
}

std::string receipt_to_keep(const ContextUtilizationMetadata& receipt) {
  auto json = to_json(receipt);
  if (json.size() <= most_receipt_bytes) return json;
  auto shorter = receipt;
  auto& records = shorter.artifacts_processed;
  std::stable_sort(records.begin(), records.end(), [](const ArtifactUsageRecord& a, const ArtifactUsageRecord& b) {
    const bool sent = a.processed_tokens > 0;
    return sent != (b.processed_tokens > 0) ? sent : a.original_tokens > b.original_tokens;
  });
  std::size_t bytes = json.size();
  std::size_t gone = 0;
  while (bytes > most_receipt_bytes && !records.empty() && records.back().processed_tokens == 0) {
    bytes -= std::min(bytes, to_json(records.back()).size() + 1);
    records.pop_back();
    ++gone;
  }
  add_note(shorter, NoteCode::records_left_out,
           "this receipt was kept without the records of " + std::to_string(gone) + " artifacts that were left out");
  return to_json(shorter);
}

Result<std::vector<ConversationMessage>> from_sent_messages(const std::vector<SentMessage>& sent,
                                                            ConversationStore& store, std::string_view conversation_id,
                                                            const CallOptions& call) {
  std::set<std::int64_t> wanted;
  for (const auto& message : sent) {
    if (message.sequence_number != 0) wanted.insert(message.sequence_number);
  }
  std::map<std::int64_t, ConversationMessage> rows;
  for (auto at = wanted.begin(); at != wanted.end();) {
    MessageQuery query;
    query.first_sequence = *at;
    query.last_sequence = *at;
    while (at != wanted.end() && *at - query.last_sequence <= joined_gap) query.last_sequence = *at++;
    auto loaded = load_all(store, conversation_id, query, call);
    if (!loaded) return loaded;
    for (auto& row : *loaded) rows.emplace(row.sequence_number.value_or(0), std::move(row));
  }
  std::vector<ConversationMessage> messages;
  messages.reserve(sent.size());
  for (const auto& message : sent) {
    if (message.sequence_number == 0) {
      auto text = from_json<ConversationMessage>(message.message_json);
      if (!text) return fail(ErrorCode::bad_data, "a recorded message is not one");
      messages.push_back(std::move(*text));
      continue;
    }
    const auto row = rows.find(message.sequence_number);
    if (row == rows.end()) return fail(ErrorCode::bad_data, "a recorded step names a row that is not there");
    messages.push_back(row->second);
  }
  return messages;
}

}  // namespace ctxmgr::session
