#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/instruction_role.hpp"
#include "core/json/anthropic.hpp"
#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"
#include "ctxmgr/core/json_forms.hpp"

namespace ctxmgr {
namespace {

using forms::type_of;

void restore(Json& block, const Json& extra, ExtraFields which) {
  if (which == ExtraFields::all) return merge_fields(block, extra);
  for (const char* const name : {"cache_control", "citations", "caller", "is_error"}) {
    if (const Json* const value = find_field(extra, name)) block[name] = *value;
  }
}

/// "data:image/png;base64,AAAA", an address, or a file that was uploaded.
Json write_source(const std::string& url, const std::string* file_id) {
  if (file_id != nullptr) return {{"type", "file"}, {"file_id", *file_id}};
  constexpr std::string_view data = "data:";
  const auto comma = url.find(',');
  const auto semicolon = url.find(";base64,");
  if (url.compare(0, data.size(), data) != 0 || comma == std::string::npos || semicolon == std::string::npos) {
    return {{"type", "url"}, {"url", url}};
  }
  return {{"type", "base64"},
          {"media_type", url.substr(data.size(), semicolon - data.size())},
          {"data", url.substr(comma + 1)}};
}

/// What OpenAI writes as {"type": "image_url", "image_url": {"url": …}} or {"type": "input_image", "image_url": …}.
Json image_block(const Json& part) {
  const auto url = forms::image_url(part);
  const std::string* const file = get_string(part, "file_id");
  if (url.empty() && file == nullptr) return part;
  return {{"type", "image"}, {"source", write_source(url, file)}};
}

/// What OpenAI writes as {"type": "file", "file": {…}} or {"type": "input_file", …}.
Json document_block(const Json& part) {
  const Json* const inner = find_field(part, "file");
  const Json& file = inner != nullptr ? *inner : part;
  const std::string* url = get_string(file, "file_data");
  if (url == nullptr) url = get_string(file, "file_url");
  const std::string* const id = get_string(file, "file_id");
  if (url == nullptr && id == nullptr) return part;
  Json block = {{"type", "document"}, {"source", write_source(url == nullptr ? std::string() : *url, id)}};
  if (const std::string* const name = get_string(file, "filename")) block["title"] = *name;
  return block;
}

/// Null where the part is another service's alone.
Result<Json> write_part(const ContentPart& part, ExtraFields which) {
  const Json json = parse_object(part.json);
  if (part.kind == PartKind::text) {
    if (part.text.empty()) return Json();
    Json block = {{"type", "text"}, {"text", part.text}};
    restore(block, json, which);
    return block;
  }
  const auto type = type_of(json);
  if (type == "input_audio" || type == "audio") {
    return fail(ErrorCode::invalid_argument, "Anthropic's Messages take no audio");
  }
  Json block = json;
  if (type == "image_url" || type == "input_image") block = image_block(json);
  if (type == "file" || type == "input_file") block = document_block(json);
  if (which == ExtraFields::known && forms::is_of_responses(json)) return Json();
  if (block.is_object() && block != json) restore(block, json, ExtraFields::known);
  return block;
}

/// What the model wrote that is no object stands under one key, so that it gets to see its mistake.
Json write_call(const ToolCall& call, ExtraFields which) {
  Json input = parse_object(call.arguments_json);
  if (input.is_null()) {
    input = Json::object();
    if (!call.arguments_json.empty()) input["invalid_arguments"] = call.arguments_json;
  }
  Json block = {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(input)}};
  restore(block, parse_object(call.extra_json), which);
  return block;
}

std::vector<ContentPart> parts_of(const ConversationMessage& message) {
  if (const auto* const text = std::get_if<std::string>(&message.content)) return {{PartKind::text, *text, {}}};
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  return parts == nullptr ? std::vector<ContentPart>{} : *parts;
}

/// Calls stand where the model made them, or after its words where that is not known.
Result<Json> write_blocks(const ConversationMessage& message, ExtraFields which) {
  Json blocks = Json::array();
  std::vector<bool> is_written(message.tool_calls.size());
  const auto add_call = [&](std::size_t i) {
    if (!is_written[i]) blocks.push_back(write_call(message.tool_calls[i], which));
    is_written[i] = true;
  };
  for (const ContentPart& part : parts_of(message)) {
    if (const auto id = forms::called_id(part)) {
      for (std::size_t i = 0; i < is_written.size(); ++i) {
        if (message.tool_calls[i].id == *id) add_call(i);
      }
      continue;
    }
    auto block = write_part(part, which);
    if (!block) return block;
    if (block->is_object()) blocks.push_back(std::move(*block));
  }
  for (std::size_t i = 0; i < is_written.size(); ++i) add_call(i);
  return blocks;
}

/// There is no field for who of several users speaks.
void name_speaker(Json& blocks, const std::string& name) {
  if (name.empty()) return;
  for (Json& block : blocks) {
    if (type_of(block) != "text") continue;
    block["text"] = name + ": " + block["text"].string();
    return;
  }
}

}  // namespace

Result<Json> write_anthropic_blocks(const ConversationMessage& message, ExtraFields extra) {
  auto blocks = write_blocks(message, extra);
  if (!blocks) return blocks;
  const Json more = parse_object(message.extra_json);
  if (message.role == Role::tool) {
    Json result = {{"type", "tool_result"}, {"tool_use_id", message.tool_call_id}};
    const auto* const text = std::get_if<std::string>(&message.content);
    if (text != nullptr) {
      result["content"] = *text;
    } else if (!std::holds_alternative<std::monostate>(message.content)) {
      result["content"] = std::move(*blocks);
    }
    restore(result, more, extra);
    return Json::array({std::move(result)});
  }
  if (message.role == Role::user) name_speaker(*blocks, message.name);
  // A cache breakpoint that stands at the message goes to its last block.
  if (const Json* const cache = find_field(more, "cache_control"); cache != nullptr && !blocks->empty())
    blocks->back()["cache_control"] = *cache;
  return blocks;
}

Result<Json> write_anthropic_messages(const std::vector<ConversationMessage>& messages, ExtraFields extra) {
  Json out = Json::object();
  Json list = Json::array();
  for (const ConversationMessage& message : messages) {
    auto blocks = write_anthropic_blocks(message, extra);
    if (!blocks) return blocks;
    if (blocks->empty()) continue;
    if (is_instruction(message)) {
      for (Json& block : *blocks) out["system"].push_back(std::move(block));
      continue;
    }
    const char* const role = message.role == Role::assistant ? "assistant" : "user";
    if (list.empty() || list.back()["role"] != role) list.push_back({{"role", role}, {"content", Json::array()}});
    for (Json& block : *blocks) list.back()["content"].push_back(std::move(block));
  }
  out["messages"] = std::move(list);
  return out;
}

Result<std::string> to_anthropic_json(const std::vector<ConversationMessage>& messages) {
  return write_anthropic_messages(messages, ExtraFields::known).map([](const Json& json) { return dump_json(json); });
}

}  // namespace ctxmgr
