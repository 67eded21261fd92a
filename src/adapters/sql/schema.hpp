#pragma once
#include <soci/soci.h>

#include "adapters/sql/url.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::sql {

/// Creates the tables or brings them up to this version. Any number of processes may do so at once.
/// `bad_data` for tables that a newer version wrote.
[[nodiscard]] Result<void> migrate(soci::session& session, Backend backend);

}  // namespace ctxmgr::sql
