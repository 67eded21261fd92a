#pragma once
#include <string_view>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::sqlite {

/// What a result code of SQLite (primary or extended) means to a caller; `doing` begins the message. SQLite's own texts
/// are left out: they may quote what was stored.
[[nodiscard]] Error error_from(int code, std::string_view doing);

/// Whether the connection can no longer know what is on the disk.
[[nodiscard]] bool is_write_failure(int code);

}  // namespace ctxmgr::sqlite
