#include "adapters/curl/wire_common.hpp"

#include <algorithm>
#include <utility>

#include "core/json/part_forms.hpp"
#include "core/utf8.hpp"

namespace ctxmgr::wire {
namespace {

constexpr std::int64_t max_believable_tokens = 1'000'000'000;

bool is_called_directly(const Json& item) {
  const Json* const caller = find_field(item, "caller");
  const auto* const type = caller == nullptr ? nullptr : get_string(*caller, "type");
  return type != nullptr && *type == "direct";
}

}  // namespace

Result<Json> parse_object(std::string_view text, std::string_view field) {
  if (text.empty()) return Json::object();
  auto json = parse_json(text);
  if (!json) return fail(ErrorCode::invalid_argument, std::string(field) + ": " + json.error().message);
  if (!json->is_object()) return fail(ErrorCode::invalid_argument, std::string(field) + " is not a JSON object");
  return json;
}

Result<void> check_extra_body(std::string_view text) {
  const auto extra = parse_object(text, "extra_body_json");
  if (!extra) return tl::unexpected<Error>(extra.error());
  return {};
}

Result<void> merge_extra_body(Json& body, const LlmRequest& request, const BodyOptions& options) {
  for (const auto text : {options.extra_body_json, std::string_view(request.extra_body_json)}) {
    const auto extra = parse_object(text, "extra_body_json");
    if (!extra) return tl::unexpected<Error>(extra.error());
    for (const auto& [key, value] : extra->members()) body[key] = value;
  }
  return {};
}

Result<Json> response_schema(const LlmRequest& request) {
  if (request.response_schema_json.empty()) return Json();
  return parse_object(request.response_schema_json, "response_schema_json");
}

bool is_strict_schema(const Json& schema) {
  if (schema.is_array()) return std::all_of(schema.begin(), schema.end(), is_strict_schema);
  if (!schema.is_object()) return true;
  const Json* const properties = find_field(schema, "properties");
  if (properties != nullptr && properties->is_object()) {
    const Json* const required = find_field(schema, "required");
    const auto is_required = [&](const std::string& name) {
      return required != nullptr && std::find(required->begin(), required->end(), Json(name)) != required->end();
    };
    if (get_bool(schema, "additionalProperties") != false) return false;
    for (const auto& [name, ignored] : properties->members()) {
      if (!is_required(name)) return false;
    }
  } else if (const auto* type = get_string(schema, "type"); type != nullptr && *type == "object") {
    return false;
  }
  return std::all_of(schema.begin(), schema.end(), is_strict_schema);
}

std::vector<ConversationMessage> with_schema_in_words(const LlmRequest& request, const BodyOptions& options) {
  auto messages = request.messages;
  if (request.response_schema_json.empty() || options.quirks.structured_output == StructuredOutput::json_schema) {
    return messages;
  }
  const auto words =
      "Reply with one JSON value and nothing else. It has to follow this JSON Schema:\n" + request.response_schema_json;
  auto* const text = messages.empty() ? nullptr : std::get_if<std::string>(&messages.front().content);
  if (text != nullptr && (messages.front().role == Role::system || messages.front().role == Role::developer)) {
    *text += "\n\n" + words;
  } else {
    ConversationMessage system;
    system.role = Role::system;
    system.content = words;
    messages.insert(messages.begin(), std::move(system));
  }
  return messages;
}

std::int64_t token_count(const Json* usage, std::string_view key) {
  if (usage == nullptr) return 0;
  const auto count = get_int(*usage, key);
  return count && *count >= 0 && *count <= max_believable_tokens ? *count : 0;
}

std::string extra_fields(const Json& object, std::initializer_list<std::string_view> known) {
  Json extra = Json::object();
  for (const auto& [key, value] : object.members()) {
    if (!value.is_null() && std::find(known.begin(), known.end(), key) == known.end()) extra[key] = value;
  }
  return extra.empty() ? std::string() : dump_json(extra);
}

void ContentBuilder::add_text(std::string_view text, const Json& part) {
  auto extra = extra_fields(part, {"type", "text"});
  if (!parts_.empty() && parts_.back().kind == PartKind::text && parts_.back().json == extra) {
    parts_.back().text += text;
    return;
  }
  parts_.push_back({PartKind::text, std::string(text), std::move(extra)});
}

void ContentBuilder::add_opaque(const Json& part) { parts_.push_back({PartKind::other, {}, dump_json(part)}); }

void ContentBuilder::add_call(const ToolCall& call) { parts_.push_back(forms::call_part(call.id)); }

MessageContent ContentBuilder::take() {
  auto parts = std::exchange(parts_, {});
  forms::drop_last_calls(parts);
  if (parts.empty()) return std::monostate();
  if (parts.size() == 1 && parts.front().kind == PartKind::text && parts.front().json.empty()) {
    return std::move(parts.front().text);
  }
  return parts;
}

ToolCall make_tool_call(const std::string* id, const std::string* name, const Json* arguments) {
  ToolCall call;
  if (id != nullptr) call.id = *id;
  if (name != nullptr) call.name = *name;
  if (arguments != nullptr) {
    call.arguments_json = arguments->is_string() ? arguments->string() : dump_json(*arguments);
  }
  if (call.arguments_json.empty()) call.arguments_json = "{}";
  return call;
}

ToolCall read_call_item(const Json& item, std::string_view id, std::string_view arguments) {
  auto call = make_tool_call(get_string(item, id), get_string(item, "name"), find_field(item, arguments));
  // That the model itself calls goes without saying, and is said each time.
  const auto caller = is_called_directly(item) ? std::string_view("caller") : std::string_view();
  call.extra_json = extra_fields(item, {"type", "id", "status", "name", id, arguments, caller});
  return call;
}

Json parse_part(const ContentPart& part) {
  auto json = parse_object(part.json, "part");
  if (part.kind == PartKind::text) {
    Json text = {{"type", "text"}, {"text", part.text}};
    if (json) text.update(*json);
    return text;
  }
  return json ? *std::move(json) : Json();
}

std::vector<ContentPart> parts_of(const ConversationMessage& message) {
  std::vector<ContentPart> parts;
  if (const auto* const text = std::get_if<std::string>(&message.content)) {
    parts.push_back({PartKind::text, *text, {}});
  } else if (const auto* const several = std::get_if<std::vector<ContentPart>>(&message.content)) {
    parts = *several;
  }
  std::erase_if(parts, [](const ContentPart& part) { return part.kind == PartKind::text && part.text.empty(); });
  return parts;
}

Result<void> check_tools(const std::vector<ToolDefinition>& tools) {
  for (const auto& tool : tools) {
    const auto parameters = parse_object(tool.parameters_json, "tool \"" + tool.name + "\": parameters");
    if (!parameters) return tl::unexpected<Error>(parameters.error());
  }
  return {};
}

Json parameters_schema(const ToolDefinition& tool) {
  auto schema = parse_object(tool.parameters_json, "parameters");
  if (!schema || schema->empty()) return {{"type", "object"}, {"properties", Json::object()}};
  return *std::move(schema);
}

Result<Json> parse_reply(std::string_view text) {
  return utf8::is_valid(text) ? parse_json(text) : parse_json(utf8::repair(text));
}

tl::expected<Json, http::Failure> parse_event(const http::SseEvent& event) {
  auto json = parse_reply(event.data);
  if (!json || !json->is_object()) {
    return tl::unexpected<http::Failure>(http::bad_reply("the stream holds an event that is not a JSON object"));
  }
  return *std::move(json);
}

}  // namespace ctxmgr::wire
