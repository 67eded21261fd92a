#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/sqlite/checksum.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/timestamp.hpp"
#include "ctxmgr/ports/conversation_store.hpp"

/// \file
/// How single values of a conversation are written into database columns: the same bytes in SQLite, PostgreSQL and
/// MariaDB. Frozen (v1).
namespace ctxmgr::conversation {

/// Any bytes as text that every database takes: itself where it is valid UTF-8 without NUL, else "hex:" and hex digits
/// (and so is text that begins with "hex:").
[[nodiscard]] std::string to_stored_text(std::string_view bytes);
[[nodiscard]] Result<std::string> from_stored_text(std::string_view text);

/// Lower-case hex digits: sorts as the bytes do.
[[nodiscard]] std::string to_hex(std::string_view bytes);
[[nodiscard]] Result<std::string> from_hex(std::string_view digits);

/// 16 hex digits.
[[nodiscard]] std::string to_hex(const sqlite::RowChecksum& checksum);

/// Milliseconds since 1970, UTC.
[[nodiscard]] std::int64_t to_ms(Timestamp time);
[[nodiscard]] Timestamp from_ms(std::int64_t ms);

[[nodiscard]] std::string_view name_of(ConversationStatus status);
[[nodiscard]] Result<ConversationStatus> status_of(std::string_view name);

/// `bad_data`: what is stored is not what was written.
[[nodiscard]] tl::unexpected<Error> damaged_row();

}  // namespace ctxmgr::conversation
