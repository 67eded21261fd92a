#include <algorithm>
#include <limits>
#include <utility>

#include "adapters/rows/message_rows.hpp"
#include "adapters/rows/step_rows.hpp"
#include "adapters/rows/stored_columns.hpp"
#include "adapters/sqlite/database.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "ports/conversation_checks.hpp"

namespace ctxmgr {
namespace {

using namespace conversation;
using sqlite::Database;
using sqlite::Mode;
using sqlite::Statement;
using sqlite::Transaction;

constexpr std::string_view select_workflow =
    "SELECT id, last_sequence, last_step, status, estimated_tokens FROM workflows WHERE name_key = ?1";
constexpr std::string_view insert_workflow =
    "INSERT INTO workflows (name_key, name, last_sequence, last_step, status, estimated_tokens, created_at)"
    " VALUES (?1, ?2, 0, 0, 'active', 0, ?3)";
constexpr std::string_view update_last_sequence =
    "UPDATE workflows SET last_sequence = ?2, estimated_tokens = ?3 WHERE id = ?1";
constexpr std::string_view update_last_step = "UPDATE workflows SET last_step = ?2 WHERE id = ?1";
constexpr std::string_view update_status = "UPDATE workflows SET status = ?2 WHERE name_key = ?1";
constexpr std::string_view list_workflows =
    "SELECT name_key, last_sequence, last_step, status, estimated_tokens FROM workflows"
    " WHERE name_key >= ?1 AND name_key > ?2 AND name_key < ?3 ORDER BY name_key LIMIT ?4";
constexpr std::string_view select_batch =
    "SELECT sequence_number, batch_last FROM conversation_messages WHERE workflow_id = ?1 AND idempotency_key = ?2";
constexpr std::string_view insert_message =
    "INSERT INTO conversation_messages (workflow_id, sequence_number, role, content_kind, content, agent, tool_data,"
    " reasoning_data, retention, is_fixed, summary_first, summary_last, token_count, created_at, content_hash,"
    " idempotency_key, batch_last)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
constexpr std::string_view insert_step =
    "INSERT INTO workflow_steps (workflow_id, step_number, agent, created_at, last_sequence, thread_state, messages,"
    " content_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
constexpr std::string_view insert_text =
    "INSERT INTO workflow_texts (workflow_id, content_hash, content) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
constexpr std::string_view select_step =
    "SELECT agent, created_at, last_sequence, thread_state, messages, content_hash FROM workflow_steps"
    " WHERE workflow_id = ?1 AND step_number = ?2";
constexpr std::string_view select_text =
    "SELECT content FROM workflow_texts WHERE workflow_id = ?1 AND content_hash = ?2";
constexpr std::string_view deletes[] = {
    "DELETE FROM workflow_texts WHERE workflow_id = ?1", "DELETE FROM workflow_steps WHERE workflow_id = ?1",
    "DELETE FROM conversation_messages WHERE workflow_id = ?1", "DELETE FROM workflows WHERE id = ?1"};

std::string select_messages(bool fixed_only, bool newest_first) {
  return std::string(
             "SELECT sequence_number, role, content_kind, content, agent, tool_data, reasoning_data, retention, "
             "is_fixed,"
             " summary_first, summary_last, token_count, created_at, content_hash FROM conversation_messages"
             " WHERE workflow_id = ?1 AND sequence_number >= ?2 AND sequence_number <= ?3") +
         (fixed_only ? " AND is_fixed = 1" : "") + " ORDER BY sequence_number" + (newest_first ? " DESC" : "") +
         " LIMIT ?4";
}

struct WorkflowRow {
  std::int64_t id = 0;
  ConversationInfo info{};
};

/// Columns `first` … of a row: last_sequence, last_step, status, estimated_tokens.
Result<ConversationInfo> read_info(const Statement& select, int first) {
  ConversationInfo info;
  info.last_sequence = select.integer(first);
  info.last_step = select.integer(first + 1);
  const auto status = status_of(select.blob(first + 2));
  if (!status) return tl::unexpected(status.error());
  info.status = *status;
  info.estimated_tokens = select.integer(first + 3);
  return info;
}

Result<std::optional<WorkflowRow>> find(Transaction& transaction, std::string_view conversation_id) {
  const std::string key = to_hex(conversation_id);
  auto select = transaction.prepare(select_workflow);
  const auto row = select.bind_text(1, key).step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  auto info = read_info(select, 1);
  if (!info) return tl::unexpected(info.error());
  info->conversation_id = conversation_id;
  return WorkflowRow{select.integer(0), std::move(*info)};
}

Result<WorkflowRow> find_or_create(Transaction& transaction, std::string_view conversation_id) {
  auto found = find(transaction, conversation_id);
  if (!found) return tl::unexpected(found.error());
  if (*found) return std::move(**found);
  const std::string key = to_hex(conversation_id);
  const std::string name = to_stored_text(conversation_id);
  auto made =
      transaction.prepare(insert_workflow).bind_text(1, key).bind_text(2, name).bind(3, transaction.now_ms()).run();
  if (!made) return tl::unexpected(made.error());
  found = find(transaction, conversation_id);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return fail(ErrorCode::internal, "sqlite: a new row is not there");
  return std::move(**found);
}

Result<void> insert(Statement& statement, std::int64_t workflow_id, const MessageRow& row, const std::string* key,
                    std::int64_t batch_last) {
  statement.reset();
  statement.bind(1, workflow_id).bind(2, row.sequence_number);
  int column = 3;
  for (const auto* text :
       {&row.role, &row.content_kind, &row.content, &row.agent, &row.tool_data, &row.reasoning_data, &row.retention}) {
    statement.bind_text(column++, *text);
  }
  for (const std::int64_t number :
       {std::int64_t{row.is_fixed}, row.summary_first, row.summary_last, row.token_count, row.created_at}) {
    statement.bind(column++, number);
  }
  statement.bind_text(column++, row.content_hash);
  if (key) {
    statement.bind_text(column, *key);
  } else {
    statement.bind(column, std::optional<std::int64_t>());
  }
  return statement.bind(column + 1, batch_last).run();
}

MessageRow read_row(const Statement& select) {
  MessageRow row;
  row.sequence_number = select.integer(0);
  int column = 1;
  for (auto* text :
       {&row.role, &row.content_kind, &row.content, &row.agent, &row.tool_data, &row.reasoning_data, &row.retention}) {
    *text = select.blob(column++);
  }
  row.is_fixed = static_cast<int>(select.integer(column++));
  for (auto* number : {&row.summary_first, &row.summary_last, &row.token_count, &row.created_at}) {
    *number = select.integer(column++);
  }
  row.content_hash = select.blob(column);
  return row;
}

Result<TextsByHash> read_texts(Transaction& transaction, std::int64_t workflow_id,
                               const std::vector<std::string>& hashes) {
  TextsByHash texts;
  for (const auto& hash : hashes) {
    auto select = transaction.prepare(select_text);
    const auto row = select.bind(1, workflow_id).bind_text(2, hash).step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) continue;
    auto text = from_stored_text(select.blob(0));
    if (!text) return tl::unexpected(text.error());
    texts.emplace(hash, std::move(*text));
  }
  return texts;
}

class SqliteConversationStore final : public ConversationStore {
 public:
  explicit SqliteConversationStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  Result<SequenceRange> append(std::string_view conversation_id, const std::vector<ConversationMessage>& messages,
                               const AppendOptions& options, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    if (auto checked = check_append(messages, options); !checked) return tl::unexpected(checked.error());
    auto transaction = database_->begin(Mode::write, call);
    if (!transaction) return tl::unexpected(transaction.error());
    auto workflow = find_or_create(*transaction, conversation_id);
    if (!workflow) return tl::unexpected(workflow.error());
    const std::string key = to_hex(options.idempotency_key);
    if (!key.empty()) {
      auto select = transaction->prepare(select_batch);
      const auto row = select.bind(1, workflow->id).bind_text(2, key).step();
      if (!row) return tl::unexpected(row.error());
      if (*row) return SequenceRange{select.integer(0), select.integer(1)};
    }
    if (auto allowed = check_may_append(workflow->info, options); !allowed) return tl::unexpected(allowed.error());
    auto range = insert_all(*transaction, *workflow, messages, key);
    if (!range) return range;
    if (auto done = transaction->commit(); !done) return tl::unexpected(done.error());
    return range;
  }

  Result<std::vector<ConversationMessage>> load(std::string_view conversation_id, const MessageQuery& query,
                                                const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    auto transaction = database_->begin(Mode::read, call);
    if (!transaction) return tl::unexpected(transaction.error());
    std::vector<ConversationMessage> page;
    const auto workflow = find(*transaction, conversation_id);
    if (!workflow) return tl::unexpected(workflow.error());
    if (!*workflow || query.limit == 0) return page;
    const bool skips = query.skip_damaged;  // then nobody knows how many have to be looked at
    const auto limit =
        std::min<std::uint64_t>(skips ? SIZE_MAX : query.limit, std::numeric_limits<std::int64_t>::max());
    auto select = transaction->prepare(select_statement(query));
    select.bind(1, (*workflow)->id).bind(2, query.first_sequence).bind(3, query.last_sequence);
    select.bind(4, static_cast<std::int64_t>(limit));
    while (page.size() < query.limit) {
      const auto row = select.step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) break;
      auto message = from_row(read_row(select));
      if (!message && skips) continue;
      if (!message) return tl::unexpected(message.error());
      page.push_back(std::move(*message));
    }
    if (auto whole = check_gapless(page, query, (*workflow)->info.last_sequence); !whole) {
      return tl::unexpected(whole.error());
    }
    return page;
  }

  Result<std::vector<ConversationInfo>> list(std::string_view prefix, std::string_view after_id, std::size_t limit,
                                             const CallOptions& call) override {
    auto transaction = database_->begin(Mode::statement, call);
    if (!transaction) return tl::unexpected(transaction.error());
    const std::string first = to_hex(prefix);
    const std::string after = to_hex(after_id);
    const std::string beyond = first + "g";  // 'g' comes after every hex digit
    auto select = transaction->prepare(list_workflows);
    select.bind_text(1, first).bind_text(2, after).bind_text(3, beyond);
    select.bind(4, static_cast<std::int64_t>(std::min<std::size_t>(limit, 1'000'000)));
    std::vector<ConversationInfo> page;
    while (true) {
      const auto row = select.step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) return page;
      auto info = read_info(select, 1);
      auto id = from_hex(select.blob(0));
      if (!info || !id) return fail(ErrorCode::bad_data, "sqlite: a stored conversation is damaged");
      info->conversation_id = std::move(*id);
      page.push_back(std::move(*info));
    }
  }

  Result<std::optional<ConversationInfo>> info(std::string_view conversation_id, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    auto transaction = database_->begin(Mode::statement, call);
    if (!transaction) return tl::unexpected(transaction.error());
    auto workflow = find(*transaction, conversation_id);
    if (!workflow) return tl::unexpected(workflow.error());
    return *workflow ? std::optional(std::move((*workflow)->info)) : std::nullopt;
  }

  Result<void> set_status(std::string_view conversation_id, ConversationStatus status,
                          const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return checked;
    auto transaction = database_->begin(Mode::write, call);
    if (!transaction) return tl::unexpected(transaction.error());
    const std::string key = to_hex(conversation_id);
    auto updated = transaction->prepare(update_status).bind_text(1, key).bind_text(2, name_of(status)).run();
    if (!updated) return updated;
    if (transaction->changed_rows() == 0) return fail(ErrorCode::not_found, "no such conversation");
    return transaction->commit();
  }

  Result<std::int64_t> record_step(std::string_view conversation_id, const SentContext& sent,
                                   const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    auto transaction = database_->begin(Mode::write, call);
    if (!transaction) return tl::unexpected(transaction.error());
    const auto workflow = find_or_create(*transaction, conversation_id);
    if (!workflow) return tl::unexpected(workflow.error());
    if (auto allowed = check_may_record(workflow->info, sent); !allowed) return tl::unexpected(allowed.error());
    for (const auto& [hash, text] : texts_of(sent)) {
      const std::string stored = to_stored_text(text);
      auto kept = transaction->prepare(insert_text).bind(1, workflow->id).bind_text(2, hash).bind_text(3, stored).run();
      if (!kept) return tl::unexpected(kept.error());
    }
    const StepRow row = to_step_row(sent, workflow->info.last_step + 1);
    auto inserted = transaction->prepare(insert_step)
                        .bind(1, workflow->id)
                        .bind(2, row.step_number)
                        .bind_text(3, row.agent)
                        .bind(4, row.created_at)
                        .bind(5, row.last_sequence)
                        .bind_text(6, row.thread_state)
                        .bind_text(7, row.messages)
                        .bind_text(8, row.content_hash)
                        .run();
    if (!inserted) return tl::unexpected(inserted.error());
    auto updated = transaction->prepare(update_last_step).bind(1, workflow->id).bind(2, row.step_number).run();
    if (!updated) return tl::unexpected(updated.error());
    if (auto done = transaction->commit(); !done) return tl::unexpected(done.error());
    return row.step_number;
  }

  Result<SentContext> load_step(std::string_view conversation_id, std::int64_t step_number,
                                const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    auto transaction = database_->begin(Mode::read, call);
    if (!transaction) return tl::unexpected(transaction.error());
    const auto workflow = find(*transaction, conversation_id);
    if (!workflow) return tl::unexpected(workflow.error());
    auto select = transaction->prepare(select_step);
    const auto found = select.bind(1, *workflow ? (*workflow)->id : 0).bind(2, step_number).step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return fail(ErrorCode::not_found, "no such step");
    StepRow row;
    row.step_number = step_number;
    row.agent = select.blob(0);
    row.created_at = select.integer(1);
    row.last_sequence = select.integer(2);
    row.thread_state = select.blob(3);
    row.messages = select.blob(4);
    row.content_hash = select.blob(5);
    const auto hashes = hashes_of(row);
    if (!hashes) return tl::unexpected(hashes.error());
    const auto texts = read_texts(*transaction, (*workflow)->id, *hashes);
    if (!texts) return tl::unexpected(texts.error());
    return from_step_row(row, *texts);
  }

  Result<void> erase(std::string_view conversation_id, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return checked;
    {
      auto transaction = database_->begin(Mode::write, call);
      if (!transaction) return tl::unexpected(transaction.error());
      const auto workflow = find(*transaction, conversation_id);
      if (!workflow) return tl::unexpected(workflow.error());
      if (!*workflow) return {};
      for (const auto statement : deletes) {
        if (auto done = transaction->prepare(statement).bind(1, (*workflow)->id).run(); !done) return done;
      }
      if (auto done = transaction->commit(); !done) return done;
    }
    return database_->forget_log(call);
  }

 private:
  Result<SequenceRange> insert_all(Transaction& transaction, const WorkflowRow& workflow,
                                   const std::vector<ConversationMessage>& messages, const std::string& key) {
    const std::int64_t before = workflow.info.last_sequence;
    const SequenceRange range{before + 1, before + static_cast<std::int64_t>(messages.size())};
    std::int64_t tokens = workflow.info.estimated_tokens;
    auto statement = transaction.prepare(insert_message);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::int64_t count = counter_->count_message(messages[i]);
      tokens += count;
      const MessageRow row = to_row(messages[i], range.first + static_cast<std::int64_t>(i), count);
      const bool has_key = i == 0 && !key.empty();
      if (auto done = insert(statement, workflow.id, row, has_key ? &key : nullptr, range.last); !done) {
        return tl::unexpected(done.error());
      }
    }
    auto updated =
        transaction.prepare(update_last_sequence).bind(1, workflow.id).bind(2, range.last).bind(3, tokens).run();
    if (!updated) return tl::unexpected(updated.error());
    return range;
  }

  std::string_view select_statement(const MessageQuery& query) const {
    if (query.fixed_only) return query.newest_first ? fixed_newest_first_ : fixed_oldest_first_;
    return query.newest_first ? all_newest_first_ : all_oldest_first_;
  }

  // Before the database, which keeps statements under them.
  const std::string all_oldest_first_ = select_messages(false, false);
  const std::string all_newest_first_ = select_messages(false, true);
  const std::string fixed_oldest_first_ = select_messages(true, false);
  const std::string fixed_newest_first_ = select_messages(true, true);
  std::unique_ptr<Database> database_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

}  // namespace

Result<std::unique_ptr<ConversationStore>> make_sqlite_conversation_store(const SqliteOptions& options) {
  auto database = Database::open(options);
  if (!database) return tl::unexpected(database.error());
  return std::make_unique<SqliteConversationStore>(*std::move(database));
}

}  // namespace ctxmgr
