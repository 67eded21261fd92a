#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/timestamp.hpp"

namespace ctxmgr {

/// Limits that every implementation has; over one of them is `limit_exceeded`. An id has at least one byte
/// (`invalid_argument`).
inline constexpr std::size_t max_conversation_id_bytes = 512;
inline constexpr std::size_t max_idempotency_key_bytes = 512;
inline constexpr std::size_t max_message_bytes = std::size_t{16} << 20;  ///< All texts of one message together.

struct AppendOptions {
  /// Not empty: an append that was made under this key before changes nothing and returns the first one's range,
  /// whatever the conversation's state by now. Make one up for each append that you may have to repeat.
  std::string idempotency_key{};
  std::optional<std::int64_t> expected_last_sequence{};  ///< Set: `conflict` if somebody has appended since.
};

/// A page of a conversation: first <= sequence number <= last, both ends included.
struct MessageQuery {
  std::int64_t first_sequence = 1;
  std::int64_t last_sequence = std::numeric_limits<std::int64_t>::max();
  bool newest_first = false;  ///< The last first. Else the oldest first.
  bool fixed_only = false;    ///< Only system, developer, pinned and summary rows.
  std::size_t limit = 1'000;

  /// Reads the whole rows of a page in which others are damaged or missing, instead of `bad_data`: to save a
  /// conversation, as a new one.
  bool skip_damaged = false;
};

enum class ConversationStatus {
  active,
  archived,  ///< Can be read, listed, replayed and erased; an append or a step to record is `denied`.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(ConversationStatus value);

struct ConversationInfo {
  std::string conversation_id{};
  std::int64_t last_sequence = 0;  ///< 0: no message yet.
  std::int64_t last_step = 0;      ///< 0: nothing was recorded as sent.
  ConversationStatus status = ConversationStatus::active;
  std::int64_t estimated_tokens = 0;  ///< Tokens of all messages by the approximate counter: roughly how large it is.
};

/// One message that was sent: a row of the conversation, as it is, or a text of its own.
struct SentMessage {
  std::int64_t sequence_number = 0;  ///< The row's number; 0: `message_json` has it.
  std::string message_json{};        ///< The message as OpenAI-format JSON text; kept once however often it is sent.
};

/// The request of one step of a workflow, for replay.
struct SentContext {
  std::int64_t step_number = 0;  ///< Given by the store: 1, 2, 3 …
  std::string agent{};           ///< The agent that it was sent to.
  std::optional<Timestamp> created_at{};
  std::int64_t last_sequence = 0;  ///< The conversation's last message at that time.
  std::string thread_state{};      ///< The thread state for the next build of this agent; at most 64 KiB, opaque.
  std::vector<SentMessage> messages{};

  /// The receipt of that build, as JSON text of a `ContextUtilizationMetadata`; empty: none was kept. Kept as a text of a
  /// message is.
  std::string receipt_json{};
};

/// Port: append-only conversations, and the requests made from them. Behind `Workflow` and `build_llm_messages()`.
///
/// Sequence numbers of a conversation are 1, 2, 3 …: gapless and unique with any number of appenders in any number of
/// processes. Rows are never changed, so a sequence number names a snapshot. Every field of a message is kept, byte for
/// byte. But the store gives the `sequence_number`, and `created_at` where it is not set; and times have milliseconds. Ids
/// are opaque bytes. A stored row that is damaged is `bad_data`, and so is a page
/// from which rows are missing: its message names them. A
/// success is durable as far as the adapter's options promise. Called from several threads at once. Must not throw.
class CTXMGR_API ConversationStore {
 public:
  ConversationStore() = default;
  ConversationStore(const ConversationStore&) = delete;
  ConversationStore& operator=(const ConversationStore&) = delete;
  virtual ~ConversationStore();

  /// Appends all messages, next to each other, or none; the first append creates the conversation. `invalid_argument`
  /// for no messages.
  [[nodiscard]] virtual Result<SequenceRange> append(std::string_view conversation_id,
                                                     const std::vector<ConversationMessage>& messages,
                                                     const AppendOptions& options, const CallOptions& call) = 0;

  /// Up to `limit` messages; fewer mean the end. An unknown conversation is an empty one.
  [[nodiscard]] virtual Result<std::vector<ConversationMessage>> load(std::string_view conversation_id,
                                                                      const MessageQuery& query,
                                                                      const CallOptions& call) = 0;

  /// Up to `limit` conversations whose ids begin with `prefix` and come after `after_id`, in byte order.
  [[nodiscard]] virtual Result<std::vector<ConversationInfo>> list(std::string_view prefix, std::string_view after_id,
                                                                   std::size_t limit, const CallOptions& call) = 0;

  /// nullopt for an unknown conversation.
  [[nodiscard]] virtual Result<std::optional<ConversationInfo>> info(std::string_view conversation_id,
                                                                     const CallOptions& call) = 0;

  /// `not_found` for an unknown conversation.
  [[nodiscard]] virtual Result<void> set_status(std::string_view conversation_id, ConversationStatus status,
                                                const CallOptions& call) = 0;

  /// Records a request and returns its step number; `step_number` of the argument is ignored, `created_at` is given
  /// where it is not set. `invalid_argument` for a row that is not there. The conversation is created if need be.
  [[nodiscard]] virtual Result<std::int64_t> record_step(std::string_view conversation_id, const SentContext& sent,
                                                         const CallOptions& call) = 0;

  /// `not_found` for a step that was not recorded.
  [[nodiscard]] virtual Result<SentContext> load_step(std::string_view conversation_id, std::int64_t step_number,
                                                      const CallOptions& call) = 0;

  /// Deletes the conversation and its steps so that their bytes are gone. Not an error where there is none.
  [[nodiscard]] virtual Result<void> erase(std::string_view conversation_id, const CallOptions& call) = 0;
};

/// Keeps everything in this process, without bound.
/// Thread-safety: all methods may be called from several threads at once.
[[nodiscard]] CTXMGR_API std::unique_ptr<ConversationStore> make_memory_conversation_store();

}  // namespace ctxmgr
