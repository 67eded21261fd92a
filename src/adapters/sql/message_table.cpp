#include "adapters/sql/message_table.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace ctxmgr::sql {
namespace {

using conversation::MessageRow;

constexpr std::string_view message_columns =
    "sequence_number, role, content_kind, content, agent, tool_data, reasoning_data, retention, is_fixed, "
    "summary_first, summary_last, token_count, created_at, content_hash";
constexpr int inserted_columns = 17;  // those, workflow_id, idempotency_key and batch_last

}  // namespace

std::size_t sent_bytes(const std::string& text) {
  const auto escaped = std::count_if(text.begin(), text.end(), [](char c) {
    return c == '\'' || c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\x1a';
  });
  return text.size() + static_cast<std::size_t>(escaped) + 3;
}

std::size_t sent_bytes(const MessageRow& row) {
  return sent_bytes(row.content) + sent_bytes(row.agent) + sent_bytes(row.tool_data) + sent_bytes(row.reasoning_data) +
         512;
}

void insert_messages(soci::session& session, std::vector<InsertedRow>& rows) {
  std::string text = "INSERT INTO conversation_messages (" + std::string(message_columns) +
                     ", workflow_id, idempotency_key, batch_last) VALUES ";
  int parameter = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += i == 0 ? "(" : "), (";
    for (int column = 0; column < inserted_columns; ++column) {
      text += (column == 0 ? ":v" : ", :v") + std::to_string(parameter++);
    }
  }
  text += ")";
  soci::statement statement(session);
  for (auto& inserted : rows) {
    auto& row = inserted.row;
    statement.exchange(soci::use(row.sequence_number));
    for (auto* field : {&row.role, &row.content_kind, &row.content, &row.agent, &row.tool_data, &row.reasoning_data,
                        &row.retention}) {
      statement.exchange(soci::use(*field));
    }
    statement.exchange(soci::use(row.is_fixed));
    for (auto* field : {&row.summary_first, &row.summary_last, &row.token_count, &row.created_at}) {
      statement.exchange(soci::use(*field));
    }
    statement.exchange(soci::use(row.content_hash));
    statement.exchange(soci::use(inserted.workflow_id));
    statement.exchange(soci::use(inserted.idempotency_key, inserted.has_key));
    statement.exchange(soci::use(inserted.batch_last));
  }
  statement.alloc();
  statement.prepare(text);
  statement.define_and_bind();
  statement.execute(true);
}

Result<std::vector<ConversationMessage>> select_messages(soci::session& session, std::int64_t workflow_id,
                                                         const MessageQuery& query) {
  std::vector<ConversationMessage> page;
  if (query.limit == 0) return page;
  const bool skips = query.skip_damaged;  // then nobody knows how many have to be looked at
  constexpr auto all = std::numeric_limits<std::int64_t>::max();
  const auto limit =
      skips ? all : static_cast<std::int64_t>(std::min<std::size_t>(query.limit, static_cast<std::size_t>(all)));
  const std::string text = "SELECT " + std::string(message_columns) +
                           " FROM conversation_messages WHERE workflow_id = :id" +
                           (query.fixed_only ? " AND is_fixed = 1" : "") +
                           " AND sequence_number >= :first AND sequence_number <= :last ORDER BY sequence_number" +
                           (query.newest_first ? " DESC" : "") + " LIMIT :limit";
  MessageRow row;
  soci::statement statement =
      (session.prepare << text, soci::use(workflow_id), soci::use(query.first_sequence), soci::use(query.last_sequence),
       soci::use(limit), soci::into(row.sequence_number), soci::into(row.role), soci::into(row.content_kind),
       soci::into(row.content), soci::into(row.agent), soci::into(row.tool_data), soci::into(row.reasoning_data),
       soci::into(row.retention), soci::into(row.is_fixed), soci::into(row.summary_first), soci::into(row.summary_last),
       soci::into(row.token_count), soci::into(row.created_at), soci::into(row.content_hash));
  statement.execute();
  while (page.size() < query.limit && statement.fetch()) {
    auto message = from_row(row);
    if (!message && skips) continue;
    if (!message) return tl::unexpected(message.error());
    page.push_back(std::move(*message));
  }
  return page;
}

}  // namespace ctxmgr::sql
