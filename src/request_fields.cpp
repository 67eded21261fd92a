#include "request_fields.hpp"

#include <utility>

#include "core/json/types.hpp"

namespace ctxmgr {
namespace {

/// A number of tokens for a reply, which has to be positive.
struct ReplyTokens {
  std::optional<std::int64_t>& tokens;
};

void read_json(JsonReader& in, const Json& json, ReplyTokens& out) {
  read_json(in, json, out.tokens);
  if (in.ok() && *out.tokens <= 0) in.fail("expected a positive number of tokens");
}

}  // namespace

void read_json(JsonReader& in, const Json& json, RequestFields& out) {
  ReplyTokens reply{out.reply_tokens};
  in.field(json, "model", out.model);
  in.field(json, "tools", out.tools);
  in.field(json, "attachments", out.attachments);
  in.field(json, "steps", out.steps);
  in.field(json, "max_tokens", reply);  // OpenAI's is deprecated in favour of the next, which goes before it
  in.field(json, "max_completion_tokens", reply);
  in.field(json, "max_output_tokens", reply);  // Responses'
}

void apply(RequestFields& fields, BuildRequest& options) {
  if (!fields.model.empty()) options.models.primary = std::move(fields.model);
  if (!fields.tools.empty()) options.tools = std::move(fields.tools);
  if (fields.reply_tokens) options.budget.reserved_output_tokens = fields.reply_tokens;
}

Result<Context> make_context(std::vector<ConversationMessage> messages, RequestFields& fields,
                             const AttachmentSource& source, const CallOptions& call) {
  auto artifacts = attachments_to_artifacts(fields.attachments, source, call);
  if (!artifacts) return tl::unexpected(std::move(artifacts.error()));
  Context context;
  context.conversation_history = std::move(messages);
  context.step_records = std::move(fields.steps);
  context.artifacts = std::move(*artifacts);
  return context;
}

void erase_own_fields(Json& request) {
  for (const char* const ours : {"attachments", "steps"}) request.erase(ours);
}

}  // namespace ctxmgr
