#include "ctxmgr/core/message_shape.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/instruction_role.hpp"
#include "core/shaped_messages.hpp"

namespace ctxmgr {
namespace {

using Parts = std::vector<ContentPart>;

struct Preset {
  std::string_view service;
  MessageShape shape;
};

// system_in_front, user_first, alternating, answer_after_tool, plain_text, unique_call_ids
constexpr MessageShape strict_template{true, true, true, false, true};
constexpr std::array<Preset, 7> presets{{{"openai", {}},
                                         {"anthropic", {true, true, true, false, false, true}},
                                         {"gemini", {true, true, true, false, false}},
                                         {"bedrock", {true, true, true, false, false}},
                                         {"mistral", {true, true, true, true, false}},
                                         {"llama_cpp", strict_template},
                                         {"vllm", strict_template}}};

struct Host {
  std::string_view end;
  std::string_view service;
};
constexpr std::array<Host, 6> hosts{{{"openai.com", "openai"},
                                     {"openai.azure.com", "openai"},
                                     {"anthropic.com", "anthropic"},
                                     {"googleapis.com", "gemini"},
                                     {"amazonaws.com", "bedrock"},
                                     {"mistral.ai", "mistral"}}};

bool is_empty(const MessageContent& content) {
  if (const auto* const text = std::get_if<std::string>(&content)) return text->empty();
  const auto* const parts = std::get_if<Parts>(&content);
  return parts == nullptr || parts->empty();
}

Parts as_parts(MessageContent content) {
  if (auto* const parts = std::get_if<Parts>(&content)) return std::move(*parts);
  auto* const text = std::get_if<std::string>(&content);
  if (text == nullptr || text->empty()) return {};
  return {{PartKind::text, std::move(*text), {}}};
}

/// Two strings are one with a blank line between them; anything else becomes parts.
MessageContent joined(MessageContent before, MessageContent after) {
  if (is_empty(before)) return after;
  if (is_empty(after)) return before;
  auto* const text = std::get_if<std::string>(&before);
  const auto* const more = std::get_if<std::string>(&after);
  if (text != nullptr && more != nullptr) return *text + "\n\n" + *more;
  auto parts = as_parts(std::move(before));
  for (ContentPart& part : as_parts(std::move(after))) parts.push_back(std::move(part));
  return parts;
}

void flatten(MessageContent& content) {
  const auto* const parts = std::get_if<Parts>(&content);
  if (parts == nullptr) return;
  std::string text;
  for (const ContentPart& part : *parts) {
    if (part.kind != PartKind::text) return;
    if (!text.empty()) text += "\n\n";
    text += part.text;
  }
  content = std::move(text);
}

/// Goes over a list once.
class Shaper {
 public:
  explicit Shaper(const MessageShape& shape) : shape_(shape) {}

  ShapedMessages shape(std::vector<ConversationMessage> messages) && {
    for (ConversationMessage& message : messages) {
      if (shape_.plain_text) flatten(message.content);
      place(std::move(message));
      out_.places.push_back(list().size() - 1);
    }
    return std::move(out_);
  }

 private:
  std::vector<ConversationMessage>& list() { return out_.messages; }

  [[nodiscard]] bool in_front() const { return out_.messages.empty() || is_instruction(out_.messages.back()); }

  void place(ConversationMessage message) {
    if (is_instruction(message) && shape_.system_in_front) {
      if (in_front()) return add(std::move(message), !list().empty());
      message.role = Role::user;
    }
    if (!is_instruction(message) && message.role != Role::user && shape_.user_first && in_front())
      list().push_back({Role::user, std::string(words_of_the_user)});
    const bool follows_tool = !list().empty() && list().back().role == Role::tool;
    if (message.role == Role::user && follows_tool && shape_.answer_after_tool)
      list().push_back({Role::assistant, std::string(words_of_the_assistant)});
    if (shape_.alternating) say_name(message);
    const bool is_neighbour = !list().empty() && list().back().role == message.role && message.role != Role::tool &&
                              list().back().tool_calls.empty();
    add(std::move(message), shape_.alternating && is_neighbour);
  }

  /// What was said by several users is one message then.
  static void say_name(ConversationMessage& message) {
    if (message.role != Role::user || message.name.empty()) return;
    const std::string prefix = std::exchange(message.name, {}) + ": ";
    if (auto* const text = std::get_if<std::string>(&message.content)) {
      text->insert(0, prefix);
    } else if (auto* const parts = std::get_if<Parts>(&message.content)) {
      const auto first =
          std::find_if(parts->begin(), parts->end(), [](const ContentPart& p) { return p.kind == PartKind::text; });
      if (first != parts->end()) first->text.insert(0, prefix);
    }
  }

  void add(ConversationMessage message, bool to_the_last) {
    if (!to_the_last) return list().push_back(std::move(message));
    ConversationMessage& last = list().back();
    last.content = joined(std::move(last.content), std::move(message.content));
    for (ToolCall& call : message.tool_calls) last.tool_calls.push_back(std::move(call));
    if (message.retention == Retention::pinned) last.retention = Retention::pinned;
    if (last.extra_json.empty()) last.extra_json = std::move(message.extra_json);
  }

  const MessageShape shape_;
  ShapedMessages out_;
};

}  // namespace

std::optional<MessageShape> message_shape(std::string_view service) {
  const auto* const found =
      std::find_if(presets.begin(), presets.end(), [&](const Preset& preset) { return preset.service == service; });
  return found == presets.end() ? std::nullopt : std::optional(found->shape);
}

MessageShape message_shape_of_host(std::string_view host) {
  const auto* const found = std::find_if(hosts.begin(), hosts.end(), [&](const Host& known) {
    if (host == known.end) return true;
    const bool is_below = host.size() > known.end.size() && host[host.size() - known.end.size() - 1] == '.';
    return is_below && host.substr(host.size() - known.end.size()) == known.end;
  });
  return found == hosts.end() ? MessageShape{} : message_shape(found->service).value_or(MessageShape{});
}

ShapedMessages shape_with_places(std::vector<ConversationMessage> messages, const MessageShape& shape) {
  return Shaper(shape).shape(std::move(messages));
}

std::vector<ConversationMessage> shape_messages(std::vector<ConversationMessage> messages, const MessageShape& shape) {
  return shape_with_places(std::move(messages), shape).messages;
}

}  // namespace ctxmgr
