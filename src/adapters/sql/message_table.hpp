#pragma once
#include <soci/soci.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/rows/message_rows.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/conversation_store.hpp"

/// \file
/// The table `conversation_messages` of a server. What the database refuses throws `soci::soci_error`.
namespace ctxmgr::sql {

/// A message on its way into the database, with the columns that only the first row of a batch has.
struct InsertedRow {
  conversation::MessageRow row{};
  std::int64_t workflow_id = 0;
  std::int64_t batch_last = 0;
  std::string idempotency_key{};
  soci::indicator has_key = soci::i_null;
};

/// Bytes of a value, and of a row's values, as MariaDB's protocol sends them: quoted, with escapes.
[[nodiscard]] std::size_t sent_bytes(const std::string& text);
[[nodiscard]] std::size_t sent_bytes(const conversation::MessageRow& row);

/// All of them, at least one, in one statement.
void insert_messages(soci::session& session, std::vector<InsertedRow>& rows);

/// A page of a conversation. `bad_data` for a row that was damaged.
[[nodiscard]] Result<std::vector<ConversationMessage>> select_messages(soci::session& session, std::int64_t workflow_id,
                                                                       const MessageQuery& query);

}  // namespace ctxmgr::sql
