#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/engine/attachments.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_build.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "engine/history/known_messages.hpp"

namespace ctxmgr {

/// What the text doors read from a request beside its messages, in whichever form those are.
struct RequestFields {
  std::string model{};
  std::vector<ToolDefinition> tools{};
  std::vector<std::string>
      chosen_tools{};  ///< Tools that `tool_choice` names: the one that has to be called, or those that may.
  bool wants_several_replies = false;  ///< `n`: nobody could answer a call of one of them before the others.
  std::vector<RequestAttachment> attachments{};
  std::vector<ReasoningStepRecord> steps{};
  std::optional<std::int64_t> reply_tokens{};
  std::vector<ContentPart> sent_beside{};
};

/// What a request sends beside messages and tools, to be counted: every field with a string in it, but those that are in `read`
/// and those that say who asks (model, user, metadata, ids). Media among them are parts of their own.
[[nodiscard]] std::vector<ContentPart> fields_beside(const Json& request, std::initializer_list<std::string_view> read);

void read_json(JsonReader& in, const Json& json, RequestFields& out);

/// What the request says goes before what the host set. Tools that the service keeps back (`defer_loading`) are none of the
/// build's: they are sent as they came, and count once a message of the history refers to them.
void apply(RequestFields& fields, const std::vector<ConversationMessage>& history, BuildRequest& options);

[[nodiscard]] Result<Context> make_context(std::vector<ConversationMessage> messages, RequestFields& fields,
                                           const AttachmentSource& source, const CallOptions& call);

/// `ContextManager::build()` of what is to be sent. No service takes a request without a word, so that `budget_exceeded` is said
/// where nothing fits beside the instructions, too. `known`: of the context's messages.
[[nodiscard]] Result<BuiltContext> build_to_send(const ContextManager& manager, const Context& context,
                                                 const BuildRequest& request, const CallOptions& call,
                                                 std::shared_ptr<engine::KnownMessages> known);

/// How a door writes a tool.
enum class ToolShape { chat, messages, responses };

/// Takes the definitions out that a build left out, and puts in the one by which they are found.
void write_tools(const BuiltContext& built, ToolShape shape, Json& request);

/// Says in the receipt what was mended in the text of a request while it was read.
void note_mended_text(std::string_view body, ContextUtilizationMetadata& metadata);

/// Asks the service to compact by itself, unless the request says how it is to.
void ask_for_compaction(std::optional<std::int64_t> at_tokens, ToolShape shape, Json& request);

/// Takes out what only this library understands.
void erase_own_fields(Json& request);

}  // namespace ctxmgr
