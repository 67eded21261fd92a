#include <algorithm>
#include <utility>

#include "adapters/curl/wire.hpp"
#include "adapters/curl/wire_common.hpp"

namespace ctxmgr::wire {
namespace {

std::string_view role_name(Role role) {
  switch (role) {
    case Role::system: return "system";
    case Role::developer: return "developer";
    case Role::assistant: return "assistant";
    case Role::user:
    case Role::tool: break;
  }
  return "user";
}

Json input_image(std::string url, const Json& image) {
  Json input = {{"type", "input_image"}, {"image_url", std::move(url)}};
  if (const auto* const detail = get_string(image, "detail")) input["detail"] = *detail;
  return input;
}

/// Anthropic's images and documents.
Json input_of_source(const Json& part, bool is_image) {
  const Json& source = part["source"];
  const auto* const data = get_string(source, "data");
  const auto* const kind = get_string(source, "type");
  if (kind != nullptr && *kind == "text" && data != nullptr) return {{"type", "input_text"}, {"text", *data}};
  auto place = source_url(source);
  if (is_image) return input_image(std::move(place), part);
  Json input = {{"type", "input_file"}};
  if (const auto* const title = get_string(part, "title")) input["filename"] = *title;
  input[data == nullptr ? "file_url" : "file_data"] = std::move(place);
  return input;
}

/// A part of a message, in the form of whichever service, as a part of an item.
Json input_part(const ContentPart& part, Role role) {
  auto json = parse_part(part);
  if (part.kind == PartKind::text) {
    json["type"] = role == Role::assistant ? "output_text" : "input_text";
    json.erase("cache_control");
    json.erase("citations");
    return json;
  }
  const auto* const found = get_string(json, "type");
  const std::string type = found == nullptr ? std::string() : *found;
  if (type == "image_url") {
    const Json* const image = find_field(json, "image_url");
    return input_image(image_url(json), image == nullptr ? json : *image);
  }
  const bool has_source = find_field(json, "source") != nullptr;
  if (has_source && (type == "image" || type == "document")) return input_of_source(json, type == "image");
  if (const Json* const file = find_field(json, "file"); type == "file" && file != nullptr) {
    Json input = {{"type", "input_file"}};
    input.update(*file);
    return input;
  }
  return json;
}

/// What a tool gave: its text, or parts where it gave images or files, too.
Json output_of(const ConversationMessage& message) {
  const auto parts = parts_of(message);
  const bool is_text =
      std::all_of(parts.begin(), parts.end(), [](const ContentPart& part) { return part.kind == PartKind::text; });
  if (is_text) return text_of(message);
  Json output = Json::array();
  for (const auto& part : parts) output.push_back(input_part(part, Role::tool));
  return output;
}

std::string phase_of(const Json& json) {
  const auto* const phase = get_string(json, "phase");
  return phase == nullptr ? std::string() : *phase;
}

Json message_item(Role role, const std::string& phase) {
  Json item = {{"type", "message"}, {"role", role_name(role)}};
  if (!phase.empty()) item["phase"] = phase;
  item["content"] = Json::array();
  return item;
}

Json call_item(const ToolCall& call) {
  Json item = {
      {"type", "function_call"}, {"call_id", call.id}, {"name", call.name}, {"arguments", call.arguments_json}};
  restore_fields(item, call.extra_json, {"namespace", "caller"});
  return item;
}

/// A message becomes items. The model's opaque ones (reasoning, compaction) go back as they came, in their place, and its
/// words in items of their phase (commentary, final answer); calls stand where it made them.
void add_items(const ConversationMessage& message, Json& items) {
  if (message.role == Role::tool) {
    items.push_back(
        {{"type", "function_call_output"}, {"call_id", message.tool_call_id}, {"output", output_of(message)}});
    return;
  }
  bool takes_more = false;  // The last item.
  std::vector<bool> is_written(message.tool_calls.size());
  const auto add_call = [&](std::size_t i) {
    if (!is_written[i]) items.push_back(call_item(message.tool_calls[i]));
    is_written[i] = true;
    takes_more = false;
  };
  for (const auto& part : parts_of(message)) {
    if (part.kind == PartKind::call) {
      for (std::size_t i = 0; i < is_written.size(); ++i) {
        if (message.tool_calls[i].id == part.text) add_call(i);
      }
      continue;
    }
    if (is_of_anthropic(part)) continue;
    if (message.role == Role::assistant && part.kind == PartKind::other) {
      items.push_back(parse_part(part));
      takes_more = false;
      continue;
    }
    auto json = input_part(part, message.role);
    const auto phase = phase_of(json);
    if (!phase.empty()) json.erase("phase");
    if (!takes_more || phase_of(items.back()) != phase) items.push_back(message_item(message.role, phase));
    items.back()["content"].push_back(std::move(json));
    takes_more = true;
  }
  for (std::size_t i = 0; i < is_written.size(); ++i) add_call(i);
}

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
  Json body = {{"model", options.model}, {"input", Json::array()}};
  for (const auto& message : with_schema_in_words(request, options)) add_items(message, body["input"]);
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

const Wire openai_responses = {"/responses", "/responses/input_tokens", true, write_body,
                               read_reply,   make_stream_reader};

}  // namespace ctxmgr::wire
