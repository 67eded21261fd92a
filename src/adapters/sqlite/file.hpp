#pragma once
#include <string>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::sqlite {

/// The absolute path of a database file that exists now, created with mode 0600 if it did not. Never opens a file that
/// is there: closing it again would drop the locks that this process holds on it.
[[nodiscard]] Result<std::string> prepare_file(const std::string& path);

}  // namespace ctxmgr::sqlite
