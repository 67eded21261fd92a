#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/wire.hpp"
#include "core/json/json.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"

/// \file
/// What the wire formats share.
namespace ctxmgr::wire {

/// A JSON object from the request's or the client's own settings; an empty one for empty text. `field` names it in the
/// error.
[[nodiscard]] Result<Json> parse_object(std::string_view text, std::string_view field);

/// Adds the fields that callers may set freely over those that are there: the client's, then the request's.
[[nodiscard]] Result<void> merge_extra_body(Json& body, const LlmRequest& request, const BodyOptions& options);

/// The response schema, null where there is none.
[[nodiscard]] Result<Json> response_schema(const LlmRequest& request);

/// Whether OpenAI takes the schema with `strict`: every object closed, and all its properties required.
[[nodiscard]] bool is_strict_schema(const Json& schema);

/// The messages, preceded by the request for JSON of the schema in words; unchanged while the service takes schemas.
[[nodiscard]] std::vector<ConversationMessage> with_schema_in_words(const LlmRequest& request,
                                                                    const BodyOptions& options);

/// A token count of a reply: 0 where it is missing, negative, or beyond belief.
[[nodiscard]] std::int64_t token_count(const Json* usage, std::string_view key);

/// What an object holds besides the fields that are `known` and those that are null; empty where there is nothing.
[[nodiscard]] std::string extra_fields(const Json& object, std::initializer_list<std::string_view> known);

/// Collects a message's content: a string where it is plain text, parts where it is more than that.
class ContentBuilder {
 public:
  /// `part` is the whole part, of which fields besides `type` and `text` are kept.
  void add_text(std::string_view text, const Json& part);
  void add_text(std::string_view text) { add_text(text, Json::object()); }

  /// Kept as it came, to be sent back untouched.
  void add_opaque(const Json& part);

  /// The model made this call here.
  void add_call(const ToolCall& call);

  [[nodiscard]] MessageContent take();

 private:
  std::vector<ContentPart> parts_;
};

/// A tool call of a reply. Arguments that come as text are kept as they are, others become text; none are "{}".
[[nodiscard]] ToolCall make_tool_call(const std::string* id, const std::string* name, const Json* arguments);

/// A tool call that stands among the model's output, with the fields of these names.
[[nodiscard]] ToolCall read_call_item(const Json& item, std::string_view id, std::string_view arguments);

/// A part of a message as JSON: null where its text is broken.
[[nodiscard]] Json parse_part(const ContentPart& part);

/// The content as parts, whichever form it has; without empty text.
[[nodiscard]] std::vector<ContentPart> parts_of(const ConversationMessage& message);

/// `invalid_argument` for a tool whose parameters are no JSON object: it would be sent without them.
[[nodiscard]] Result<void> check_tools(const std::vector<ToolDefinition>& tools);

/// A tool's parameters; an object without properties where it takes none.
[[nodiscard]] Json parameters_schema(const ToolDefinition& tool);

/// What a service sent, as JSON; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] Result<Json> parse_reply(std::string_view text);

/// An event's data; or why it is none.
[[nodiscard]] tl::expected<Json, http::Failure> parse_event(const http::SseEvent& event);

}  // namespace ctxmgr::wire
