#include <algorithm>
#include <utility>

#include "adapters/rows/message_rows.hpp"
#include "adapters/rows/step_rows.hpp"
#include "adapters/rows/stored_columns.hpp"
#include "adapters/sql/message_table.hpp"
#include "adapters/sql/schema.hpp"
#include "adapters/sql/session.hpp"
#include "adapters/sql/session_pool.hpp"
#include "adapters/sql/workflow_table.hpp"
#include "ctxmgr/adapters/sql_conversation_store.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "ports/conversation_checks.hpp"

namespace ctxmgr {
namespace {

using namespace conversation;
using sql::Backend;
using sql::Lock;
using sql::Session;
using sql::WorkflowRow;

constexpr int max_attempts = 4;
constexpr std::size_t rows_per_insert = 64;
constexpr std::size_t bytes_per_insert = std::size_t{4} << 20;
// What one statement adds around its values, and MariaDB's protocol to that.
constexpr std::size_t statement_overhead_bytes = std::size_t{64} << 10;

/// One try of a call, on one connection.
struct Attempt {
  Session& connection;
  soci::session& session;
  bool committing = false;  ///< From here on nobody knows whether a lost connection had an effect.

  void commit(soci::transaction& transaction) {
    committing = true;
    transaction.commit();
  }
};

/// What may happen to a call whose commit got no answer.
enum class Repeat {
  harmless,  ///< Twice is as good as once.
  never,
};

class SqlConversationStore final : public ConversationStore {
 public:
  SqlConversationStore(sql::Connection connection, const SqlOptions& options)
      : pool_(std::move(connection), std::max<std::size_t>(1, options.max_connections), options.connect_timeout,
              options.statement_timeout) {}

  Result<void> open() {
    return run<void>({}, Repeat::harmless, [this](Attempt& attempt) -> Result<void> {
      if (pool_.backend() == Backend::mysql) {
        long long bytes = 0;
        attempt.session << "SELECT @@max_allowed_packet", soci::into(bytes);
        max_packet_bytes_ = static_cast<std::size_t>(bytes);
      }
      return sql::migrate(attempt.session, pool_.backend());
    });
  }

  Result<SequenceRange> append(std::string_view conversation_id, const std::vector<ConversationMessage>& messages,
                               const AppendOptions& options, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    if (auto checked = check_append(messages, options); !checked) return tl::unexpected(checked.error());
    const Repeat repeat = options.idempotency_key.empty() ? Repeat::never : Repeat::harmless;
    return run<SequenceRange>(
        call, repeat, [&](Attempt& attempt) { return append_in(attempt, conversation_id, messages, options, call); });
  }

  Result<std::vector<ConversationMessage>> load(std::string_view conversation_id, const MessageQuery& query,
                                                const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    return run<std::vector<ConversationMessage>>(
        call, Repeat::harmless, [&](Attempt& attempt) { return load_in(attempt.session, conversation_id, query); });
  }

  Result<std::vector<ConversationInfo>> list(std::string_view prefix, std::string_view after_id, std::size_t limit,
                                             const CallOptions& call) override {
    if (auto wanted = check_wanted(call); !wanted) return tl::unexpected(wanted.error());
    return run<std::vector<ConversationInfo>>(call, Repeat::harmless, [&](Attempt& attempt) {
      return list_in(attempt.session, to_hex(prefix), to_hex(after_id), limit);
    });
  }

  Result<std::optional<ConversationInfo>> info(std::string_view conversation_id, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    return run<std::optional<ConversationInfo>>(
        call, Repeat::harmless, [&](Attempt& attempt) -> Result<std::optional<ConversationInfo>> {
          const auto row = sql::find_workflow(attempt.session, conversation_id, Lock::none);
          if (!row) return std::optional<ConversationInfo>();
          return to_info(*row);
        });
  }

  Result<void> set_status(std::string_view conversation_id, ConversationStatus status,
                          const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return checked;
    return run<void>(call, Repeat::harmless, [&](Attempt& attempt) -> Result<void> {
      soci::session& session = attempt.session;
      soci::transaction transaction(session);
      const auto row = sql::find_workflow(session, conversation_id, Lock::row);
      if (!row) return fail(ErrorCode::not_found, "no such conversation");
      const std::string name(name_of(status));
      session << "UPDATE workflows SET status = :status WHERE id = :id", soci::use(name), soci::use(row->id);
      attempt.commit(transaction);
      return {};
    });
  }

  Result<std::int64_t> record_step(std::string_view conversation_id, const SentContext& sent,
                                   const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    return run<std::int64_t>(call, Repeat::never,
                             [&](Attempt& attempt) { return record_in(attempt, conversation_id, sent); });
  }

  Result<SentContext> load_step(std::string_view conversation_id, std::int64_t step_number,
                                const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    return run<SentContext>(call, Repeat::harmless,
                            [&](Attempt& attempt) { return load_step_in(attempt, conversation_id, step_number); });
  }

  Result<void> erase(std::string_view conversation_id, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return checked;
    return run<void>(call, Repeat::harmless, [&](Attempt& attempt) -> Result<void> {
      soci::session& session = attempt.session;
      soci::transaction transaction(session);
      const auto row = sql::find_workflow(session, conversation_id, Lock::row);
      if (!row) return {};
      session << "DELETE FROM workflow_texts WHERE workflow_id = :id", soci::use(row->id);
      session << "DELETE FROM workflow_steps WHERE workflow_id = :id", soci::use(row->id);
      session << "DELETE FROM conversation_messages WHERE workflow_id = :id", soci::use(row->id);
      session << "DELETE FROM workflows WHERE id = :id", soci::use(row->id);
      attempt.commit(transaction);
      return {};
    });
  }

 private:
  /// Runs `work` on a session of its own. What failed for want of a server is tried again on another connection, where
  /// it cannot have had an effect or may have it twice.
  template <class T, class Work>
  Result<T> run(const CallOptions& call, Repeat repeat, Work work) {
    for (int attempts = 1;; ++attempts) {
      auto session = pool_.take(call);
      if (!session) return tl::unexpected(session.error());
      Attempt attempt{**session, (*session)->soci()};
      try {
        (*session)->begin_call(call);
        Result<T> result = work(attempt);
        pool_.give_back(std::move(*session));
        return result;
      } catch (const soci::soci_error& error) {
        const bool timed_out = (*session)->timed_out();
        drop(*session);
        if (timed_out) return fail(ErrorCode::deadline_exceeded, "the database server did not answer in time");
        const Error mapped = sql::to_error(error);
        if (mapped.code == ErrorCode::unavailable) pool_.close_idle();
        const bool may_repeat = !attempt.committing || repeat == Repeat::harmless;
        if (mapped.code != ErrorCode::unavailable || !may_repeat || attempts == max_attempts) {
          return tl::unexpected(mapped);
        }
      } catch (const std::exception&) {
        drop(*session);
        return fail(ErrorCode::internal, "the database client threw");
      }
      if (auto wanted = check_wanted(call); !wanted) return tl::unexpected(wanted.error());
    }
  }

  /// Whatever state it is in, it is not for the next caller.
  void drop(std::unique_ptr<Session>& session) {
    session.reset();
    pool_.forget();
  }

  Result<SequenceRange> append_in(Attempt& attempt, std::string_view conversation_id,
                                  const std::vector<ConversationMessage>& messages, const AppendOptions& options,
                                  const CallOptions& call) {
    soci::session& session = attempt.session;
    soci::transaction transaction(session);
    WorkflowRow workflow = sql::lock_or_create_workflow(session, pool_.backend(), conversation_id);
    const std::string key = to_hex(options.idempotency_key);
    if (!key.empty()) {
      SequenceRange made;
      session << "SELECT sequence_number, batch_last FROM conversation_messages"
                 " WHERE workflow_id = :id AND idempotency_key = :key",
          soci::use(workflow.id), soci::use(key), soci::into(made.first), soci::into(made.last);
      if (session.got_data()) return made;
    }
    const auto known = to_info(workflow);
    if (!known) return tl::unexpected(known.error());
    if (auto allowed = check_may_append(*known, options); !allowed) return tl::unexpected(allowed.error());

    const SequenceRange range{known->last_sequence + 1,
                              known->last_sequence + static_cast<std::int64_t>(messages.size())};
    std::int64_t tokens = known->estimated_tokens;
    std::vector<sql::InsertedRow> batch;
    std::size_t batch_bytes = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::int64_t number = range.first + static_cast<std::int64_t>(i);
      const std::int64_t count = counter_->count_message(messages[i]);
      tokens += count;
      sql::InsertedRow row{to_row(messages[i], number, count), workflow.id, range.last, key,
                           i == 0 && !key.empty() ? soci::i_ok : soci::i_null};
      const std::size_t bytes = sql::sent_bytes(row.row);
      if (max_packet_bytes_ != 0 && bytes + statement_overhead_bytes > max_packet_bytes_) {
        return fail(ErrorCode::limit_exceeded, "message too large for the server's max_allowed_packet");
      }
      if (batch.size() == rows_per_insert || (!batch.empty() && batch_bytes + bytes > bytes_per_insert)) {
        sql::insert_messages(session, batch);
        batch.clear();
        batch_bytes = 0;
        if (auto wanted = check_wanted(call); !wanted) return tl::unexpected(wanted.error());
        attempt.connection.go_on();
      }
      batch_bytes += bytes;
      batch.push_back(std::move(row));
    }
    sql::insert_messages(session, batch);
    session << "UPDATE workflows SET last_sequence = :last, estimated_tokens = :tokens WHERE id = :id",
        soci::use(range.last), soci::use(tokens), soci::use(workflow.id);
    attempt.commit(transaction);
    return range;
  }

  Result<std::vector<ConversationMessage>> load_in(soci::session& session, std::string_view conversation_id,
                                                   const MessageQuery& query) {
    const sql::Snapshot snapshot(session, pool_.backend());
    const auto workflow = sql::find_workflow(session, conversation_id, Lock::none);
    if (!workflow) return {};
    auto page = sql::select_messages(session, workflow->id, query);
    if (!page) return page;
    if (auto whole = check_gapless(*page, query, workflow->info.last_sequence); !whole) {
      return tl::unexpected(whole.error());
    }
    return page;
  }

  static Result<std::vector<ConversationInfo>> list_in(soci::session& session, const std::string& prefix,
                                                       const std::string& after, std::size_t limit) {
    std::vector<ConversationInfo> page;
    const std::string beyond = prefix + "g";  // 'g' comes after every hex digit
    const auto rows = static_cast<std::int64_t>(std::min<std::size_t>(limit, 1'000'000));
    WorkflowRow row;
    soci::statement statement =
        (session.prepare << "SELECT name_key, last_sequence, last_step, status, estimated_tokens FROM workflows"
                            " WHERE name_key >= :prefix AND name_key > :after AND name_key < :beyond"
                            " ORDER BY name_key LIMIT :limit",
         soci::use(prefix), soci::use(after), soci::use(beyond), soci::use(rows), soci::into(row.name_key),
         soci::into(row.info.last_sequence), soci::into(row.info.last_step), soci::into(row.status),
         soci::into(row.info.estimated_tokens));
    statement.execute();
    while (statement.fetch()) {
      auto info = to_info(row);
      if (!info) return tl::unexpected(info.error());
      page.push_back(std::move(*info));
    }
    return page;
  }

  Result<std::int64_t> record_in(Attempt& attempt, std::string_view conversation_id, const SentContext& sent) {
    soci::session& session = attempt.session;
    soci::transaction transaction(session);
    const WorkflowRow workflow = sql::lock_or_create_workflow(session, pool_.backend(), conversation_id);
    const auto known = to_info(workflow);
    if (!known) return tl::unexpected(known.error());
    if (auto allowed = check_may_record(*known, sent); !allowed) return tl::unexpected(allowed.error());
    const auto dialect = sql::insert_new(pool_.backend());
    const std::string keep_text = std::string(dialect.begin) +
                                  " INTO workflow_texts (workflow_id, content_hash, content)"
                                  " VALUES (:id, :hash, :content)" +
                                  std::string(dialect.end);
    for (const auto& [hash, text] : texts_of(sent)) {
      const std::string stored = to_stored_text(text);
      if (max_packet_bytes_ != 0 && sql::sent_bytes(stored) + statement_overhead_bytes > max_packet_bytes_) {
        return fail(ErrorCode::limit_exceeded, "sent text too large for the server's max_allowed_packet");
      }
      attempt.connection.go_on();
      session << keep_text, soci::use(workflow.id), soci::use(hash), soci::use(stored);
    }
    const StepRow row = to_step_row(sent, known->last_step + 1);
    session << "INSERT INTO workflow_steps (workflow_id, step_number, agent, created_at, last_sequence, thread_state,"
               " messages, content_hash) VALUES (:id, :step, :agent, :at, :last, :state, :messages, :hash)",
        soci::use(workflow.id), soci::use(row.step_number), soci::use(row.agent), soci::use(row.created_at),
        soci::use(row.last_sequence), soci::use(row.thread_state), soci::use(row.messages), soci::use(row.content_hash);
    session << "UPDATE workflows SET last_step = :step WHERE id = :id", soci::use(row.step_number),
        soci::use(workflow.id);
    attempt.commit(transaction);
    return row.step_number;
  }

  Result<SentContext> load_step_in(Attempt& attempt, std::string_view conversation_id, std::int64_t step_number) {
    soci::session& session = attempt.session;
    const sql::Snapshot snapshot(session, pool_.backend());
    const auto not_found = [] { return fail(ErrorCode::not_found, "no such step"); };
    const auto workflow = sql::find_workflow(session, conversation_id, Lock::none);
    if (!workflow) return not_found();
    StepRow row;
    row.step_number = step_number;
    session << "SELECT agent, created_at, last_sequence, thread_state, messages, content_hash FROM workflow_steps"
               " WHERE workflow_id = :id AND step_number = :step",
        soci::use(workflow->id), soci::use(step_number), soci::into(row.agent), soci::into(row.created_at),
        soci::into(row.last_sequence), soci::into(row.thread_state), soci::into(row.messages),
        soci::into(row.content_hash);
    if (!session.got_data()) return not_found();
    const auto hashes = hashes_of(row);
    if (!hashes) return tl::unexpected(hashes.error());
    TextsByHash texts;
    for (const auto& hash : *hashes) {
      attempt.connection.go_on();
      std::string stored;
      session << "SELECT content FROM workflow_texts WHERE workflow_id = :id AND content_hash = :hash",
          soci::use(workflow->id), soci::use(hash), soci::into(stored);
      auto text = from_stored_text(stored);
      if (!text) return tl::unexpected(text.error());
      if (session.got_data()) texts.emplace(hash, std::move(*text));
    }
    return from_step_row(row, texts);
  }

  sql::SessionPool pool_;
  std::size_t max_packet_bytes_ = 0;  // 0: no bound that we know of
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

}  // namespace

Result<std::unique_ptr<ConversationStore>> make_sql_conversation_store(const SqlOptions& options) {
  auto connection = sql::parse_url(options.url, options.connect_timeout);
  if (!connection) return tl::unexpected(connection.error());
  auto store = std::make_unique<SqlConversationStore>(std::move(*connection), options);
  if (auto opened = store->open(); !opened) return tl::unexpected(opened.error());
  return store;
}

}  // namespace ctxmgr
