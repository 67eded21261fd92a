#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/core/timestamp.hpp"

namespace ctxmgr {

/// Who speaks. `developer` is what newer OpenAI models call `system`; both are treated alike. Stored by name: frozen.
enum class Role { system, developer, user, assistant, tool };
[[nodiscard]] CTXMGR_API std::string_view to_string(Role value);

/// How a message gives way when room gets short. Stored by name: frozen.
enum class Retention {
  normal,        ///< May be cut, masked, extracted or summarised.
  pinned,        ///< Always sent whole; if it does not fit, the build fails with `budget_exceeded`.
  summarizable,  ///< Intermediate work: the first to be summarised when a workflow is pruned.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(Retention value);

enum class PartKind { text, image, file, other };
[[nodiscard]] CTXMGR_API std::string_view to_string(PartKind value);

/// A piece of a message that has several. What is not text (images, files, reasoning and thinking blocks, whatever a
/// provider invents) is carried as the provider wrote it and counted by what it holds.
struct ContentPart {
  PartKind kind = PartKind::text;
  std::string text{};  ///< The text of a `text` part.
  std::string json{};  ///< Other kinds: the whole part as JSON text. `text`: its further fields, or empty.
};

/// The three forms that a message's content has in the OpenAI format: null or absent, a string, an array of parts.
using MessageContent = std::variant<std::monostate, std::string, std::vector<ContentPart>>;

/// A tool that a model may call.
struct ToolDefinition {
  std::string name{};
  std::string description{};
  std::string parameters_json{};  ///< JSON Schema of the arguments, as JSON text; empty: it takes none.
  std::string extra_json{};       ///< JSON object of the fields without a member; or all of a tool that is no function.
};

/// A call that a model made.
struct ToolCall {
  std::string id{};
  std::string name{};
  std::string arguments_json{};  ///< The model's text, which need not be valid JSON.
  std::string extra_json{};      ///< JSON object of the fields that have no member here (thought signatures, …).
};

/// Consecutive rows of a stored conversation, both ends included.
struct SequenceRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// A message together with the reasoning that led to it. It has the fields of an OpenAI chat message, and what a store and a
/// planner need to know. Everything from `reasoning_steps` on is never sent, but for `extra_json`.
///
///     ConversationMessage{Role::user, "What did the audit find?"}
struct ConversationMessage {
  Role role = Role::user;
  MessageContent content{};
  std::vector<ToolCall> tool_calls{};
  std::string tool_call_id{};                          ///< The call that a `tool` message answers.
  std::string name{};                                  ///< The participant's name as sent to the model; mostly empty.
  std::vector<ReasoningStepRecord> reasoning_steps{};  ///< The tool use behind an assistant message.
  std::optional<std::int64_t> sequence_number{};       ///< Given by a `ConversationStore`, from 1.
  std::string agent{};                                 ///< Who wrote it, in a workflow.
  std::optional<Timestamp> created_at{};
  Retention retention = Retention::normal;
  std::optional<SequenceRange> summary_of{};  ///< Set where the message stands for earlier rows.
  std::string extra_json{};                   ///< JSON object of the fields that have no member here; exported again.
};

/// The text of a message: its string, or its text parts joined by newlines. Linear.
[[nodiscard]] CTXMGR_API std::string text_of(const ConversationMessage& message);

}  // namespace ctxmgr
