#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "ctxmgr/session/context_store.hpp"

namespace ctxmgr {

struct ContextToolsOptions {
  bool read_only = false;                         ///< Whether `set_context` is left out.
  std::int64_t max_result_tokens = 2'000;         ///< Most tokens of a result, at least 200; longer ones come in pages.
  std::shared_ptr<TokenCounter> token_counter{};  ///< Null: estimates.
};

/// get_context, set_context, list_context and search_context for an agent loop, bound to one session and agent: whatever
/// a model writes into the arguments, they reach nothing else. Results are meant to be sent as they are, never shortened.
///
///     request.tools = tools.definitions();                     // or to_openai_json(), to_anthropic_json()
///     if (tools.handles(call.name)) history.push_back(tools.run(call));
///
/// Thread-safety: const methods may be called from several threads at once.
class CTXMGR_API ContextTools {
 public:
  /// `store` is not null.
  explicit ContextTools(std::shared_ptr<ContextStore> store, ContextToolsOptions options = {});

  [[nodiscard]] std::vector<ToolDefinition> definitions() const;

  /// For the system prompt: when and how to use the tools.
  [[nodiscard]] static std::string_view instructions();

  [[nodiscard]] bool handles(std::string_view tool_name) const;

  /// Runs a call and returns the tool message that answers it, of at most `max_result_tokens`, or of
  /// one key that is longer. Always answers: a failure
  /// is a message that says what the model can do about it.
  [[nodiscard]] ConversationMessage run(const ToolCall& tool_call, const CallOptions& call = {}) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// From which size on a result does not enter a conversation, and how much of it does.
struct OffloadPolicy {
  std::int64_t over_tokens = 20'000;              ///< Results of more are kept in the archive.
  std::int64_t kept_tokens = 1'500;               ///< Tokens of head and tail together; at least 100.
  std::shared_ptr<TokenCounter> token_counter{};  ///< Null: estimates.
};

/// A tool's result on its way into the history. One that is too large is kept in the archive, and becomes its handle,
/// head and tail. Any other stays as it was. So neither the host's memory nor its store holds it in every message
/// list, and the model reads or searches it with the tools above. Images stay where there is room for them, or are named.
///
///     history.push_back(offload(result, *session).value_or(result));
///
/// The archive's errors, in which case nothing is kept; `invalid_argument` for a policy that keeps less than 100 tokens.
[[nodiscard]] CTXMGR_API Result<ConversationMessage> offload(const ConversationMessage& result,
                                                             ArtifactArchive& archive, const OffloadPolicy& policy = {},
                                                             const CallOptions& call = {});

}  // namespace ctxmgr
