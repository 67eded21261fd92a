#pragma once
#include <cstdint>

#include "ctxmgr/core/error.hpp"

struct sqlite3;

namespace ctxmgr::sqlite {

/// Brings a file to the newest schema, in one transaction. `bad_data` if it is not ours or newer than this library.
[[nodiscard]] Result<void> migrate(sqlite3* connection);

}  // namespace ctxmgr::sqlite
