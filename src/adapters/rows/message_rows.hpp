#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/conversation_store.hpp"

/// \file
/// How messages are written into database rows: the same bytes in SQLite, PostgreSQL and MariaDB. Frozen (v1).
namespace ctxmgr::conversation {

/// A row of `conversation_messages`. Texts are stored texts; names of roles and the like are written out.
struct MessageRow {
  std::int64_t sequence_number = 0;
  std::string role{};
  std::string content_kind{};  ///< "absent", "text", or "parts": then `content` is JSON.
  std::string content{};
  std::string agent{};
  std::string tool_data{};       ///< JSON object: calls, the call that is answered, name, further fields. Mostly empty.
  std::string reasoning_data{};  ///< JSON array of steps. Mostly empty.
  std::string retention{};
  int is_fixed = 0;  ///< 1: a row that `MessageQuery::fixed_only` finds.
  std::int64_t summary_first = -1;
  std::int64_t summary_last = -1;  ///< −1: no summary.
  std::int64_t token_count = 0;    ///< Estimated.
  std::int64_t created_at = 0;     ///< Milliseconds since 1970, UTC.
  std::string content_hash{};      ///< 16 hex digits over everything above but the token count.
};

[[nodiscard]] MessageRow to_row(const ConversationMessage& message, std::int64_t sequence_number,
                                std::int64_t token_count);

/// `bad_data` for a row that was damaged or edited.
[[nodiscard]] Result<ConversationMessage> from_row(const MessageRow& row);

/// `bad_data`, with their numbers, where rows are missing from a page that answers `query` of a conversation that goes
/// up to `last_sequence`. A page of `MessageQuery::fixed_only` cannot tell.
[[nodiscard]] Result<void> check_gapless(const std::vector<ConversationMessage>& page, const MessageQuery& query,
                                         std::int64_t last_sequence);

}  // namespace ctxmgr::conversation
