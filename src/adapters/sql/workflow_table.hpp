#pragma once
#include <soci/soci.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/rows/stored_columns.hpp"
#include "adapters/sql/url.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/conversation_store.hpp"

/// \file
/// Conversations' own rows. All of it throws soci::soci_error.
namespace ctxmgr::sql {

/// `INSERT`, and how a row that is there already is left alone.
struct InsertNew {
  std::string_view begin;
  std::string_view end;
};
[[nodiscard]] InsertNew insert_new(Backend backend);

struct WorkflowRow {
  std::int64_t id = 0;
  std::string name_key{};
  std::string status = std::string(conversation::name_of(ConversationStatus::active));
  ConversationInfo info{};
};

/// `bad_data` for a row that is damaged.
[[nodiscard]] Result<ConversationInfo> to_info(const WorkflowRow& row);

enum class Lock { none, row };

[[nodiscard]] std::optional<WorkflowRow> find_workflow(soci::session& session, std::string_view conversation_id,
                                                       Lock lock);

/// Every writer holds the lock on its conversation's row until it commits: that is what keeps the numbers gapless.
[[nodiscard]] WorkflowRow lock_or_create_workflow(soci::session& session, Backend backend,
                                                  std::string_view conversation_id);

}  // namespace ctxmgr::sql
