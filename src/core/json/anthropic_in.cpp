#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/json/anthropic.hpp"
#include "core/json/content_field.hpp"
#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"
#include "ctxmgr/core/json_forms.hpp"

namespace ctxmgr {
namespace {

using Parts = std::vector<ContentPart>;

using forms::type_of;

constexpr std::array<std::string_view, 2> input_fields{"role", "content"};
constexpr std::array<std::string_view, 3> result_fields{"type", "tool_use_id", "content"};
constexpr std::array<std::string_view, 4> call_fields{"type", "id", "name", "input"};

struct CallBlock {
  ToolCall& call;
};

void read_json(JsonReader& in, const Json& json, CallBlock& out) {
  in.required(json, "id", out.call.id);
  in.required(json, "name", out.call.name);
  in.object_text(json, "input", out.call.arguments_json);
  if (in.ok()) out.call.extra_json = extra_fields(json, call_fields);
}

struct ResultBlock {
  ConversationMessage& message;
};

void read_json(JsonReader& in, const Json& json, ResultBlock& out) {
  out.message.role = Role::tool;
  ContentField content{out.message.content};
  in.required(json, "tool_use_id", out.message.tool_call_id);
  in.field(json, "content", content);
  if (in.ok()) out.message.extra_json = extra_fields(json, result_fields);
}

/// One block among others of a message: the model's calls and the results that answer them are no content here.
struct Block {
  std::vector<ConversationMessage>& results;
  ConversationMessage& message;
  Parts& parts;
};

void read_json(JsonReader& in, const Json& json, Block& out) {
  if (!in.is_object(json)) return;
  if (type_of(json) == "tool_result") {
    ResultBlock result{out.results.emplace_back()};
    return read_json(in, json, result);
  }
  if (type_of(json) == "tool_use") {
    CallBlock call{out.message.tool_calls.emplace_back()};
    read_json(in, json, call);
    out.parts.push_back(forms::call_part(call.call.id));
    return;
  }
  read_json(in, json, out.parts.emplace_back());
}

struct Blocks {
  std::vector<ConversationMessage>& results;
  ConversationMessage& message;
};

void read_json(JsonReader& in, const Json& json, Blocks& out) {
  if (json.is_string()) {
    out.message.content = json.string();
    return;
  }
  if (!json.is_array()) return in.expected("a string or an array of blocks", json);
  Parts parts;
  Block block{out.results, out.message, parts};
  for (std::size_t i = 0; i < json.size() && in.ok(); ++i) in.item(i, json[i], block);
  forms::drop_last_calls(parts);
  const auto is_compaction = [](const Json& part) { return type_of(part) == "compaction"; };
  if (in.ok() && std::any_of(json.begin(), json.end(), is_compaction))
    out.message.retention = Retention::pinned;  // Nothing after it means anything without it.
  if (!parts.empty() || (out.results.empty() && out.message.tool_calls.empty())) out.message.content = std::move(parts);
}

/// Results, then whatever else the message says.
struct WrittenMessage {
  std::vector<ConversationMessage> messages{};
};

void read_json(JsonReader& in, const Json& json, WrittenMessage& out) {
  if (!in.is_object(json)) return;
  ConversationMessage message;
  Blocks blocks{out.messages, message};
  in.required(json, "role", message.role);
  if (in.ok() && message.role == Role::tool) in.fail("expected the role user, assistant or system");
  in.required(json, "content", blocks);
  if (!in.ok()) return;
  message.extra_json = extra_fields(json, input_fields);
  const bool is_empty = std::holds_alternative<std::monostate>(message.content) && message.tool_calls.empty();
  if (!is_empty || out.messages.empty()) out.messages.push_back(std::move(message));
}

struct SystemPrompt {
  ConversationMessage message{Role::system};
};

void read_json(JsonReader& in, const Json& json, SystemPrompt& out) {
  ContentField content{out.message.content};
  read_json(in, json, content);
}

struct WrittenMessagesRequest {
  std::optional<SystemPrompt> system{};
  std::vector<WrittenMessage> messages{};
};

void read_json(JsonReader& in, const Json& json, WrittenMessagesRequest& out) {
  if (json.is_array()) return read_json(in, json, out.messages);
  if (!json.is_object()) return in.expected("a request or an array of messages", json);
  in.field(json, "system", out.system);
  in.required(json, "messages", out.messages);
}

}  // namespace

Result<AnthropicMessages> read_anthropic_messages(const Json& json) {
  auto written = decode_json<WrittenMessagesRequest>(json);
  if (!written) return tl::unexpected(std::move(written.error()));
  AnthropicMessages out;
  const auto add = [&out](ConversationMessage message, std::size_t origin) {
    out.messages.push_back(std::move(message));
    out.origins.push_back(origin);
  };
  if (written->system) add(std::move(written->system->message), AnthropicMessages::from_system);
  for (std::size_t i = 0; i < written->messages.size(); ++i) {
    for (auto& message : written->messages[i].messages) add(std::move(message), i);
  }
  return out;
}

Result<std::vector<ConversationMessage>> from_anthropic_json(std::string_view json) {
  return parse_json(json)
      .and_then([](const Json& parsed) { return read_anthropic_messages(parsed); })
      .map([](AnthropicMessages read) { return std::move(read.messages); });
}

}  // namespace ctxmgr
