#include <algorithm>
#include <string>
#include <utility>

#include "core/json/part_forms.hpp"
#include "core/json/responses.hpp"
#include "core/json/types.hpp"
#include "ctxmgr/core/json_forms.hpp"

namespace ctxmgr {
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
  if (const std::string* const detail = get_string(image, "detail")) input["detail"] = *detail;
  return input;
}

/// Anthropic's images and documents.
Json input_of_source(const Json& part, const Json& source, bool is_image) {
  const std::string* const data = get_string(source, "data");
  if (forms::type_of(source) == "text" && data != nullptr) return {{"type", "input_text"}, {"text", *data}};
  auto place = forms::source_url(source);
  if (is_image) return input_image(std::move(place), part);
  Json input = {{"type", "input_file"}};
  if (const std::string* const title = get_string(part, "title")) input["filename"] = *title;
  input[data == nullptr ? "file_url" : "file_data"] = std::move(place);
  return input;
}

/// A part of a message, in the form of whichever service, as a part of an item.
Json input_part(const ContentPart& part, Role role) {
  Json json = parse_object(part.json);
  if (part.kind == PartKind::text) {
    Json text = {{"type", role == Role::assistant ? "output_text" : "input_text"}, {"text", part.text}};
    if (json.is_object()) {
      for (const char* const foreign : {"cache_control", "citations", "type"}) json.erase(foreign);
      merge_fields(text, json);
    }
    return text;
  }
  const auto type = forms::type_of(json);
  if (type == "image_url") {
    const Json* const image = find_field(json, "image_url");
    return input_image(forms::image_url(json), image == nullptr ? json : *image);
  }
  const Json* const source = find_field(json, "source");
  if (source != nullptr && (type == "image" || type == "document"))
    return input_of_source(json, *source, type == "image");
  if (const Json* const file = find_field(json, "file"); type == "file" && file != nullptr) {
    Json input = {{"type", "input_file"}};
    merge_fields(input, *file);
    return input;
  }
  return json;
}

std::vector<ContentPart> filled_parts(const ConversationMessage& message) {
  if (const auto* const text = std::get_if<std::string>(&message.content)) {
    if (text->empty()) return {};
    return {{PartKind::text, *text, {}}};
  }
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  return parts == nullptr ? std::vector<ContentPart>{} : *parts;
}

/// What a tool gave: its text, or parts where it gave images or files, too.
Json output_of(const ConversationMessage& message) {
  const auto parts = filled_parts(message);
  const bool is_text =
      std::all_of(parts.begin(), parts.end(), [](const ContentPart& part) { return part.kind == PartKind::text; });
  if (is_text) return text_of(message);
  Json output = Json::array();
  for (const ContentPart& part : parts) {
    Json json = input_part(part, Role::tool);
    if (json.is_object()) output.push_back(std::move(json));
  }
  return output;
}

Json call_item(const ToolCall& call) {
  Json extra = parse_object(call.extra_json);
  if (forms::ends_with(forms::type_of(extra), "_call")) return extra;
  Json item = {
      {"type", "function_call"}, {"call_id", call.id}, {"name", call.name}, {"arguments", call.arguments_json}};
  for (const char* const ours : {"namespace", "caller"}) {
    if (const Json* const value = find_field(extra, ours)) item[ours] = *value;
  }
  return item;
}

/// A part of type `output_text` belongs to a message that the service has given an id. Words without one are a text to it, which
/// has no place for more.
bool is_text_alone(const Json& part) {
  const auto& fields = part.members();
  return forms::type_of(part) == "output_text" && std::all_of(fields.begin(), fields.end(), [](const auto& field) {
           return field.first == "type" || field.first == "text" || field.second.empty();
         });
}

/// Writes the items of one message: words of one phase into one item, all else into items of its own, in order.
class ItemWriter {
 public:
  ItemWriter(const ConversationMessage& message, Json& items)
      : message_(message), items_(items), is_written_(message.tool_calls.size()) {}

  void write() {
    for (const ContentPart& part : filled_parts(message_)) add(part);
    for (std::size_t i = 0; i < is_written_.size(); ++i) add_call(i);
  }

 private:
  void add(const ContentPart& part) {
    if (const auto id = forms::called_id(part)) return add_calls_of(*id);
    if (part.kind == PartKind::text && part.text.empty()) return;
    if (part.kind == PartKind::other) {
      Json item = parse_object(part.json);
      if (!item.is_object() || forms::is_of_anthropic(item)) return;
      if (message_.role == Role::assistant) return add_item(std::move(item));
    }
    Json json = input_part(part, message_.role);
    if (json.is_object()) add_words(std::move(json));
  }

  void add_calls_of(const std::string& id) {
    for (std::size_t i = 0; i < is_written_.size(); ++i) {
      if (message_.tool_calls[i].id == id) add_call(i);
    }
  }

  void add_call(std::size_t i) {
    if (!is_written_[i]) add_item(call_item(message_.tool_calls[i]));
    is_written_[i] = true;
  }

  void add_item(Json item) {
    items_.push_back(std::move(item));
    takes_words_ = false;
  }

  [[nodiscard]] Json message_item(const std::string& phase) const {
    Json item = {{"type", "message"}, {"role", role_name(message_.role)}};
    if (!phase.empty()) item["phase"] = phase;
    return item;
  }

  void add_words(Json part) {
    const std::string* const found = get_string(part, "phase");
    const std::string phase = found == nullptr ? std::string() : *found;
    part.erase("phase");
    if (message_.role == Role::assistant && is_text_alone(part)) {
      Json item = message_item(phase);
      item["content"] = part["text"];
      return add_item(std::move(item));
    }
    if (!takes_words_ || phase != phase_) {
      Json item = message_item(phase);
      item["content"] = Json::array();
      add_item(std::move(item));
      takes_words_ = true;
      phase_ = phase;
    }
    items_.back()["content"].push_back(std::move(part));
  }

  const ConversationMessage& message_;
  Json& items_;
  std::vector<bool> is_written_;  ///< Calls.
  bool takes_words_ = false;      ///< The last item.
  std::string phase_;
};

/// The type of what answers a call, where that is not a function's.
std::string output_type(const ConversationMessage& message) {
  const Json extra = parse_object(message.extra_json);
  const std::string* const type = get_string(extra, item_key);
  return type == nullptr ? "function_call_output" : *type;
}

}  // namespace

void write_responses_items(const ConversationMessage& message, Json& items) {
  if (message.role != Role::tool) return ItemWriter(message, items).write();
  if (const ContentPart* const whole = forms::whole_result(message)) {
    items.push_back(parse_object(whole->json));
    return;
  }
  Json item = {{"type", output_type(message)}, {"call_id", message.tool_call_id}, {"output", output_of(message)}};
  if (item["type"] == "local_shell_call_output") item["id"] = message.tool_call_id;
  items.push_back(std::move(item));
}

std::string to_responses_json(const std::vector<ConversationMessage>& messages) {
  Json items = Json::array();
  for (const ConversationMessage& message : messages) write_responses_items(message, items);
  return dump_json(items);
}

}  // namespace ctxmgr
