#include "adapters/sql/workflow_table.hpp"

#include <chrono>
#include <utility>

namespace ctxmgr::sql {

using namespace conversation;

InsertNew insert_new(Backend backend) {
  if (backend == Backend::postgresql) return {"INSERT", " ON CONFLICT DO NOTHING"};
  return {"INSERT IGNORE", ""};
}

Result<ConversationInfo> to_info(const WorkflowRow& row) {
  auto status = status_of(row.status);
  auto id = from_hex(row.name_key);
  if (!status || !id) return fail(ErrorCode::bad_data, "a stored conversation is damaged");
  ConversationInfo info = row.info;
  info.status = *status;
  info.conversation_id = std::move(*id);
  return info;
}

std::optional<WorkflowRow> find_workflow(soci::session& session, std::string_view conversation_id, Lock lock) {
  WorkflowRow row;
  row.name_key = to_hex(conversation_id);
  const std::string statement =
      std::string(
          "SELECT id, last_sequence, last_step, status, estimated_tokens FROM workflows WHERE name_key = :key") +
      (lock == Lock::row ? " FOR UPDATE" : "");
  session << statement, soci::use(row.name_key), soci::into(row.id), soci::into(row.info.last_sequence),
      soci::into(row.info.last_step), soci::into(row.status), soci::into(row.info.estimated_tokens);
  return session.got_data() ? std::optional(std::move(row)) : std::nullopt;
}

WorkflowRow lock_or_create_workflow(soci::session& session, Backend backend, std::string_view conversation_id) {
  const std::string key = to_hex(conversation_id);
  if (auto row = find_workflow(session, conversation_id, Lock::row)) return *row;
  const std::string name = to_stored_text(conversation_id);
  const std::int64_t now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  const auto dialect = insert_new(backend);
  const std::string statement =
      std::string(dialect.begin) +
      " INTO workflows (name_key, name, last_sequence, last_step, status, estimated_tokens, created_at)"
      " VALUES (:key, :name, 0, 0, 'active', 0, :now)" +
      std::string(dialect.end);
  session << statement, soci::use(key), soci::use(name), soci::use(now);
  auto row = find_workflow(session, conversation_id, Lock::row);
  if (!row) throw soci::soci_error("conversation erased meanwhile");  // rare: tried again
  return *row;
}

}  // namespace ctxmgr::sql
