#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/conversation_store.hpp"

/// \file
/// How conversations are written into database columns: the same bytes in SQLite, PostgreSQL and MariaDB. Frozen (v1).
namespace ctxmgr::conversation {

/// Any bytes as text that every database takes: itself where it is valid UTF-8 without NUL, else "hex:" and hex digits
/// (and so is text that begins with "hex:").
[[nodiscard]] std::string to_stored_text(std::string_view bytes);
[[nodiscard]] Result<std::string> from_stored_text(std::string_view text);

/// Lower-case hex digits: sorts as the bytes do.
[[nodiscard]] std::string to_hex(std::string_view bytes);
[[nodiscard]] Result<std::string> from_hex(std::string_view digits);

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
  int is_fixed = 0;  ///< 1: a row that `MessageFilter::fixed` finds.
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

/// A row of `workflow_steps`, and the texts that it refers to.
struct StepRow {
  std::int64_t step_number = 0;
  std::string agent{};
  std::int64_t created_at = 0;
  std::int64_t last_sequence = 0;
  std::string thread_state{};
  std::string messages{};      ///< What was sent, in order: "1-40 42 =<hash> 43".
  std::string content_hash{};  ///< 16 hex digits over everything above.
};

/// Texts by their SHA-256.
using TextsByHash = std::map<std::string, std::string>;

[[nodiscard]] StepRow to_step_row(const SentContext& sent, std::int64_t step_number);
[[nodiscard]] TextsByHash texts_of(const SentContext& sent);

/// The hashes that a step refers to, each once.
[[nodiscard]] Result<std::vector<std::string>> hashes_of(const StepRow& row);

/// `bad_data` where the row or a text was damaged, or a text is missing.
[[nodiscard]] Result<SentContext> from_step_row(const StepRow& row, const TextsByHash& texts);

[[nodiscard]] std::string_view name_of(ConversationStatus status);
[[nodiscard]] Result<ConversationStatus> status_of(std::string_view name);

}  // namespace ctxmgr::conversation
