#include <algorithm>
#include <array>
#include <iterator>

#include "core/json_types.hpp"
#include "core/timestamp.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

constexpr std::array<std::string_view, 12> message_fields{
    "role",  "content",    "name",      "tool_calls", "tool_call_id",    "reasoning_steps", "sequence_number",
    "agent", "created_at", "retention", "summary_of", "reasoning_events"};

PartKind kind_of(std::string_view type) {
  if (type == "text" || type == "input_text" || type == "output_text") return PartKind::text;
  if (type == "image_url" || type == "image" || type == "input_image") return PartKind::image;
  if (type == "file" || type == "input_file" || type == "document" || type == "input_audio") return PartKind::file;
  return PartKind::other;
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

/// Parts that hold no JSON object, which only a host can have made, have no form to be sent in.
Json write_parts(const std::vector<ContentPart>& parts) {
  Json out = Json::array();
  for (const ContentPart& part : parts) {
    Json json = write_json(part);
    if (json.is_object()) out.push_back(std::move(json));
  }
  return out;
}

struct ContentField {
  MessageContent& content;
};

void read_json(JsonReader& in, const Json& json, ContentField& out) {
  if (json.is_string()) {
    out.content = json.get_ref<const std::string&>();
  } else if (json.is_array()) {
    read_json(in, json, out.content.emplace<std::vector<ContentPart>>());
  } else {
    in.expected("a string or an array of parts", json);
  }
}

Json write_content(const MessageContent& content) {
  if (const auto* text = std::get_if<std::string>(&content)) return *text;
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&content)) return write_parts(*parts);
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
  ParsedSteps parsed = parse_reasoning_events_to_steps(events);
  std::move(parsed.steps.begin(), parsed.steps.end(), std::back_inserter(out.steps));
}

/// What is sent, without the fields that have no member.
Json write_sent_fields(const ConversationMessage& value) {
  Json out = Json::object();
  out["role"] = enum_name(value.role);
  out["content"] = write_content(value.content);
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

void read_json(JsonReader& in, const Json& json, SequenceRange& out) {
  if (!in.is_object(json)) return;
  in.required(json, "first", out.first);
  in.required(json, "last", out.last);
}

void read_json(JsonReader& in, const Json& json, ConversationMessage& out) {
  if (!in.is_object(json)) return;
  ContentField content{out.content};
  StoredEvents events{out.reasoning_steps};
  in.required(json, "role", out.role);
  in.field(json, "content", content);
  in.field(json, "name", out.name);
  in.field(json, "tool_calls", out.tool_calls);
  in.field(json, "tool_call_id", out.tool_call_id);
  in.field(json, "reasoning_steps", out.reasoning_steps);
  in.field(json, "sequence_number", out.sequence_number);
  in.field(json, "agent", out.agent);
  in.field(json, "created_at", out.created_at);
  in.field(json, "retention", out.retention);
  in.field(json, "summary_of", out.summary_of);
  in.field(json, "reasoning_events", events);
  if (in.ok()) out.extra_json = extra_fields(json, message_fields);
}

Json write_json(const ConversationMessage& value) {
  Json out = write_sent_fields(value);
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
  Json out = write_sent_fields(message);
  merge_fields(out, parse_object(message.extra_json));
  return out;
}

std::string to_openai_json(const std::vector<ConversationMessage>& messages) {
  Json out = Json::array();
  for (const ConversationMessage& message : messages) out.push_back(write_openai_json(message));
  return dump_json(out);
}

}  // namespace ctxmgr
