#include <utility>

#include "adapters/curl/wire.hpp"
#include "adapters/curl/wire_common.hpp"
#include "ctxmgr/core/json_forms.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr::wire {
namespace responses {
namespace {

Json write_tool(const ToolDefinition& tool) {
  Json json = {{"type", "function"}, {"name", tool.name}, {"parameters", parameters_schema(tool)}};
  if (!tool.description.empty()) json["description"] = tool.description;
  if (const auto extra = parse_object(tool.extra_json, "tool")) json.update(*extra);
  return json;
}

Json text_format(const Json& schema, StructuredOutput how) {
  if (how == StructuredOutput::json_object) return {{"type", "json_object"}};
  return {{"type", "json_schema"}, {"name", "reply"}, {"schema", schema}, {"strict", is_strict_schema(schema)}};
}

Result<std::string> write_body(const LlmRequest& request, const BodyOptions& options) {
  auto input = parse_json(to_responses_json(with_schema_in_words(request, options)));
  if (!input) return tl::unexpected<Error>(input.error());
  Json body = {{"model", options.model}, {"input", *std::move(input)}};
  for (const auto& tool : request.tools) body["tools"].push_back(write_tool(tool));
  const auto schema = response_schema(request);
  if (!schema) return tl::unexpected<Error>(schema.error());
  if (!schema->is_null() && options.quirks.structured_output != StructuredOutput::prompt) {
    body["text"] = {{"format", text_format(*schema, options.quirks.structured_output)}};
  }
  if (options.delivery != Delivery::count_tokens) {
    if (request.temperature && options.quirks.takes_temperature) body["temperature"] = *request.temperature;
    if (request.max_output_tokens) body["max_output_tokens"] = *request.max_output_tokens;
  }
  if (options.delivery == Delivery::stream) body["stream"] = true;
  if (auto merged = merge_extra_body(body, request, options); !merged) return tl::unexpected<Error>(merged.error());
  return dump_json(body);
}

void read_message_item(const Json& item, ContentBuilder& content, bool& refused) {
  const Json* const parts = find_field(item, "content");
  if (parts == nullptr || !parts->is_array()) return;
  Json extra = Json::object();
  if (const auto* const phase = get_string(item, "phase")) extra["phase"] = *phase;
  for (const Json& part : *parts) {
    if (const auto* const text = get_string(part, "text")) {
      Json fields = extra;
      const Json* const annotations = find_field(part, "annotations");
      if (annotations != nullptr && !annotations->empty()) fields["annotations"] = *annotations;
      content.add_text(*text, fields);
    } else if (const auto* const refusal = get_string(part, "refusal")) {
      content.add_text(*refusal);
      refused = true;
    } else {
      content.add_opaque(part);
    }
  }
}

FinishReason finish_reason(const Json& reply, const ConversationMessage& message, bool refused) {
  const Json* const details = find_field(reply, "incomplete_details");
  const auto* const reason = details == nullptr ? nullptr : get_string(*details, "reason");
  if (refused) return FinishReason::refusal;
  if (reason != nullptr) {
    if (*reason == "max_output_tokens") return FinishReason::length;
    return *reason == "content_filter" ? FinishReason::refusal : FinishReason::other;
  }
  if (const auto* const status = get_string(reply, "status"); status != nullptr && *status != "completed") {
    return FinishReason::other;
  }
  return message.tool_calls.empty() ? FinishReason::stop : FinishReason::tool_calls;
}

UsageMetadata read_usage(const Json& reply) {
  const Json* const usage = find_field(reply, "usage");
  const Json* const details = usage == nullptr ? nullptr : find_field(*usage, "input_tokens_details");
  UsageMetadata out;
  out.prompt_tokens = token_count(usage, "input_tokens");
  out.completion_tokens = token_count(usage, "output_tokens");
  out.cached_prompt_tokens = token_count(details, "cached_tokens");
  out.cache_write_tokens = token_count(details, "cache_write_tokens");
  out.calls = 1;
  return out;
}

Result<LlmResponse> read_reply(const Json& reply) {
  const Json* const output = find_field(reply, "output");
  if (output == nullptr || !output->is_array()) return fail(ErrorCode::bad_data, "the reply holds no output");
  LlmResponse response;
  response.message.role = Role::assistant;
  ContentBuilder content;
  bool refused = false;
  for (const Json& item : *output) {
    const auto* const type = get_string(item, "type");
    if (type != nullptr && *type == "message") {
      read_message_item(item, content, refused);
    } else if (type != nullptr && *type == "function_call") {
      response.message.tool_calls.push_back(read_call_item(item, "call_id", "arguments"));
      content.add_call(response.message.tool_calls.back());
    } else {
      content.add_opaque(item);
    }
  }
  response.message.content = content.take();
  response.finish_reason = finish_reason(reply, response.message, refused);
  if (output->empty() && response.finish_reason == FinishReason::stop) {
    return fail(ErrorCode::bad_data, "the reply is empty");
  }
  response.usage = read_usage(reply);
  if (const auto* const model = get_string(reply, "model")) response.model = *model;
  return response;
}

class ResponsesStreamReader final : public StreamReader {
 public:
  tl::expected<std::string, http::Failure> on_event(const http::SseEvent& event) override {
    if (event.data == "[DONE]") return std::string();
    const auto json = parse_event(event);
    if (!json) return tl::unexpected<http::Failure>(json.error());
    const auto* const named = get_string(*json, "type");
    const std::string type = named == nullptr ? event.type : *named;
    const Json* const response = find_field(*json, "response");
    if (type == "error") return late_error(event.data);
    if (type == "response.failed") return late_error(response == nullptr ? event.data : dump_json(*response));
    if ((type == "response.completed" || type == "response.incomplete") && response != nullptr) reply_ = *response;
    const auto* const delta = get_string(*json, "delta");
    return type == "response.output_text.delta" && delta != nullptr ? *delta : std::string();
  }

  [[nodiscard]] bool is_complete() const override { return reply_.is_object(); }
  [[nodiscard]] Json reply() const override { return reply_; }

 private:
  static tl::unexpected<http::Failure> late_error(const std::string& body) {
    return tl::unexpected<http::Failure>(http::classify_late_error(body, std::chrono::system_clock::now()));
  }

  Json reply_;
};

std::unique_ptr<StreamReader> make_stream_reader() { return std::make_unique<ResponsesStreamReader>(); }

}  // namespace
}  // namespace responses

const Wire openai_responses = {"/responses",          "/responses/input_tokens", true,
                               responses::write_body, responses::read_reply,     responses::make_stream_reader};

}  // namespace ctxmgr::wire
