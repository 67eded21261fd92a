#include "ctxmgr/openai.hpp"

#include <utility>

#include "core/json/types.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "request_fields.hpp"

namespace ctxmgr {
namespace {

/// A request as it is written, before attachments are looked up.
struct WrittenRequest {
  RequestFields fields{};
  std::vector<ConversationMessage> messages{};
};

/// What a part of a message is, where that is a form of Anthropic's that has no meaning in a chat request: calls and
/// results that were taken for content would be torn apart.
struct ForeignPart {};

void read_json(JsonReader& in, const Json& json, ForeignPart& /*out*/) {
  const std::string* const type = get_string(json, "type");
  if (type == nullptr || (*type != "tool_use" && *type != "tool_result")) return;
  in.fail("a block of type " + *type + " is of Anthropic's Messages, not of a chat request");
}

struct ForeignParts {};

void read_json(JsonReader& in, const Json& message, ForeignParts& /*out*/) {
  const Json* const content = find_field(message, "content");
  if (content == nullptr || !content->is_array()) return;
  std::vector<ForeignPart> parts;
  in.member("content", *content, parts);
}

void read_json(JsonReader& in, const Json& json, WrittenRequest& out) {
  if (!json.is_array() && !json.is_object()) return in.expected("a chat request or an array of messages", json);
  std::vector<ForeignParts> foreign;
  if (json.is_array()) {
    read_json(in, json, out.messages);
    if (in.ok()) read_json(in, json, foreign);
    return;
  }
  if (find_field(json, "system") != nullptr) {
    return in.fail("a request with a field \"system\" is one of Anthropic's Messages, not a chat request");
  }
  read_json(in, json, out.fields);
  in.required(json, "messages", out.messages);
  in.required(json, "messages", foreign);
}

Result<WireRequest> parse(const Json& json, BuildRequest options, const AttachmentSource& source,
                          const CallOptions& call) {
  auto written = decode_json<WrittenRequest>(json);
  if (!written) return tl::unexpected(std::move(written.error()));
  auto context = make_context(std::move(written->messages), written->fields, source, call);
  if (!context) return tl::unexpected(std::move(context.error()));
  if (context->conversation_history.empty()) return fail(ErrorCode::invalid_argument, "/messages: there are none");
  apply(written->fields, options);
  return WireRequest{std::move(*context), std::move(options)};
}

Json write_messages(const std::vector<ConversationMessage>& messages) {
  Json out = Json::array();
  for (const ConversationMessage& message : messages) out.push_back(write_openai_json(message));
  return out;
}

Result<std::string> replace_messages(Json request, const std::vector<ConversationMessage>& messages) {
  if (request.is_array()) return dump_json(write_messages(messages));
  if (!request.is_object()) return fail(ErrorCode::invalid_argument, "expected a chat request or an array of messages");
  erase_own_fields(request);
  request["messages"] = write_messages(messages);
  return dump_json(request);
}

}  // namespace

Result<WireRequest> parse_openai_request(std::string_view json, const AttachmentSource& source,
                                         const CallOptions& call) {
  return parse_json(json).and_then([&](const Json& parsed) { return parse(parsed, {}, source, call); });
}

Result<std::string> with_messages(std::string_view request_json, const std::vector<ConversationMessage>& messages) {
  return parse_json(request_json).and_then([&](Json request) {
    return replace_messages(std::move(request), messages);
  });
}

Result<WireBuild> build_openai(const ContextManager& manager, std::string_view body, BuildRequest options,
                               const AttachmentSource& source, const CallOptions& call) {
  auto json = parse_json(body);
  if (!json) return tl::unexpected(std::move(json.error()));
  auto in = parse(*json, std::move(options), source, call);
  if (!in) return tl::unexpected(std::move(in.error()));
  auto built = manager.build(in->context, in->request, call);
  if (!built) return tl::unexpected(std::move(built.error()));
  write_tools(*built, ToolShape::chat, *json);
  auto fitted = replace_messages(std::move(*json), built->messages);
  if (!fitted) return tl::unexpected(std::move(fitted.error()));
  return WireBuild{std::move(*fitted), to_json(built->metadata), std::move(built->thread_state)};
}

}  // namespace ctxmgr
