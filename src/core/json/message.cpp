#include <algorithm>
#include <array>
#include <iterator>

#include "core/json/content_field.hpp"
#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"
#include "core/timestamp.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

constexpr std::array<std::string_view, 13> message_fields{
    "role",  "content",    "name",      "tool_calls", "tool_call_id",     "reasoning_steps", "sequence_number",
    "agent", "created_at", "retention", "summary_of", "reasoning_events", "function_call"};

PartKind kind_of(std::string_view type) {
  if (type == "text" || type == "input_text" || type == "output_text") return PartKind::text;
  if (type == "image_url" || type == "image" || type == "input_image") return PartKind::image;
  if (type == "file" || type == "input_file" || type == "document" || type == "input_audio") return PartKind::file;
  return PartKind::other;
}

enum class Form { own, openai };

/// Parts that hold no JSON object, which only a host can have made, have no form to be sent in.
Json write_parts(const std::vector<ContentPart>& parts, Form form) {
  Json out = Json::array();
  for (const ContentPart& part : parts) {
    if (form == Form::openai && forms::called_id(part)) continue;  // There, calls stand beside the content.
    Json json = write_json(part);
    if (json.is_object()) out.push_back(std::move(json));
  }
  return out;
}

Json write_content(const MessageContent& content, Form form) {
  if (const auto* text = std::get_if<std::string>(&content)) return *text;
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&content)) return write_parts(*parts, form);
  return nullptr;
}

/// Stored events of the run behind a message. As in `parse_reasoning_events_to_steps()`, what is of no use is skipped.
struct StoredEvents {
  std::vector<ReasoningStepRecord>& steps;
};

void read_json(JsonReader& in, const Json& json, StoredEvents& out) {
  if (!json.is_array()) return in.expected("an array", json);
  std::vector<ReasoningEvent> events;
  for (const Json& element : json) {
    if (auto event = decode_json<ReasoningEvent>(element)) events.push_back(std::move(*event));
  }
  auto steps = parse_reasoning_events_to_steps(events);
  std::move(steps.begin(), steps.end(), std::back_inserter(out.steps));
}

/// What came before `tool_calls` and the role `tool`: one call for a message, without an id.
std::string id_of_function(const std::string& name) { return "function_" + name; }

struct RoleField {
  Role& role;
  bool is_function = false;
};

void read_json(JsonReader& in, const Json& json, RoleField& out) {
  out.is_function = json == "function";
  if (out.is_function) {
    out.role = Role::tool;
  } else {
    read_json(in, json, out.role);
  }
}

struct FunctionCall {
  std::vector<ToolCall>& calls;
};

void read_json(JsonReader& in, const Json& json, FunctionCall& out) {
  if (!in.is_object(json)) return;
  ToolCall& call = out.calls.emplace_back();
  TextOrJson arguments{call.arguments_json};
  in.required(json, "name", call.name);
  in.field(json, "arguments", arguments);
  call.id = id_of_function(call.name);
  const auto is_same = [&](const ToolCall& other) {
    return other.name == call.name && other.arguments_json == call.arguments_json;
  };
  if (std::any_of(out.calls.begin(), std::prev(out.calls.end()), is_same))
    out.calls.pop_back();  // Written in both forms.
}

/// What is sent, without the fields that have no member.
Json write_sent_fields(const ConversationMessage& value, Form form) {
  Json out = Json::object();
  out["role"] = enum_name(value.role);
  out["content"] = write_content(value.content, form);
  if (!value.name.empty()) out["name"] = value.name;
  if (!value.tool_calls.empty()) out["tool_calls"] = write_json(value.tool_calls);
  if (!value.tool_call_id.empty()) out["tool_call_id"] = value.tool_call_id;
  return out;
}

}  // namespace

void read_json(JsonReader& in, const Json& json, ContentPart& out) {
  if (!in.is_object(json)) return;
  const std::string* type = get_string(json, "type");
  out.kind = type != nullptr ? kind_of(*type) : PartKind::other;
  if (out.kind != PartKind::text) {
    out.json = dump_json(json);
    return;
  }
  in.required(json, "text", out.text);
  const bool is_plain = *type == "text";
  out.json = extra_fields(json, std::array<std::string_view, 2>{"text", is_plain ? "type" : "text"});
}

Json write_json(const ContentPart& value) {
  Json stored = parse_object(value.json);
  if (value.kind != PartKind::text) return stored;
  const std::string* type = get_string(stored, "type");
  Json out = Json::object();
  out["type"] = type != nullptr ? *type : "text";
  out["text"] = value.text;
  merge_fields(out, stored);
  return out;
}

void read_json(JsonReader& in, const Json& json, SequenceRange& out) {
  if (!in.is_object(json)) return;
  in.required(json, "first", out.first);
  in.required(json, "last", out.last);
}

void read_json(JsonReader& in, const Json& json, ConversationMessage& out) {
  if (!in.is_object(json)) return;
  ContentField content{out.content};
  StoredEvents events{out.reasoning_steps};
  RoleField role{out.role};
  FunctionCall function{out.tool_calls};
  in.required(json, "role", role);
  in.field(json, "content", content);
  in.field(json, "name", out.name);
  in.field(json, "tool_calls", out.tool_calls);
  in.field(json, "function_call", function);
  in.field(json, "tool_call_id", out.tool_call_id);
  if (role.is_function && out.tool_call_id.empty()) out.tool_call_id = id_of_function(out.name);
  in.field(json, "reasoning_steps", out.reasoning_steps);
  in.field(json, "sequence_number", out.sequence_number);
  in.field(json, "agent", out.agent);
  in.field(json, "created_at", out.created_at);
  in.field(json, "retention", out.retention);
  in.field(json, "summary_of", out.summary_of);
  in.field(json, "reasoning_events", events);
  if (in.ok()) out.extra_json = extra_fields(json, message_fields);
}

/// Functions that were called without an id get one of their own.
void read_json(JsonReader& in, const Json& json, std::vector<ConversationMessage>& out) {
  read_json<ConversationMessage>(in, json, out);
  std::string name;
  std::size_t count = 0;
  for (ConversationMessage& message : out) {
    const std::string number = "_" + std::to_string(count);
    if (message.tool_calls.size() == 1 && message.tool_calls[0].id == id_of_function(message.tool_calls[0].name)) {
      name = message.tool_calls[0].name;
      message.tool_calls[0].id += "_" + std::to_string(++count);
    } else if (message.role == Role::tool && count > 0 && message.tool_call_id == id_of_function(name)) {
      message.tool_call_id += number;
    }
  }
}

Json write_json(const ConversationMessage& value) {
  Json out = write_sent_fields(value, Form::own);
  if (!value.reasoning_steps.empty()) out["reasoning_steps"] = write_json(value.reasoning_steps);
  if (value.sequence_number) out["sequence_number"] = *value.sequence_number;
  if (!value.agent.empty()) out["agent"] = value.agent;
  if (value.created_at) out["created_at"] = to_rfc3339(*value.created_at);
  if (value.retention != Retention::normal) out["retention"] = enum_name(value.retention);
  if (value.summary_of) out["summary_of"] = {{"first", value.summary_of->first}, {"last", value.summary_of->last}};
  merge_fields(out, parse_object(value.extra_json));
  return out;
}

Json write_openai_json(const ConversationMessage& message) {
  Json out = write_sent_fields(message, Form::openai);
  Json extra = parse_object(message.extra_json);
  for (const std::string_view ours : {origin_key, item_key}) {
    if (find_field(extra, ours) != nullptr) extra.erase(std::string(ours));
  }
  merge_fields(out, extra);
  return out;
}

std::string to_openai_json(const std::vector<ConversationMessage>& messages) {
  Json out = Json::array();
  for (const ConversationMessage& message : messages) out.push_back(write_openai_json(message));
  return dump_json(out);
}

}  // namespace ctxmgr
