#include "core/history/empty_messages.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/ascii.hpp"
#include "core/instruction_role.hpp"
#include "core/json/json.hpp"

namespace ctxmgr {
namespace {

using Parts = std::vector<ContentPart>;

constexpr const char* breakpoint = "cache_control";

bool is_blank_text(std::string_view text) { return ascii::trimmed(text).empty(); }

bool is_blank_part(const ContentPart& part) { return part.kind == PartKind::text && is_blank_text(part.text); }

Json object_in(const std::string& text) {
  return text.empty() ? Json::object() : parse_json(text).value_or(Json::object());
}

bool has_breakpoint(const ContentPart& part) { return find_field(object_in(part.json), breakpoint) != nullptr; }

/// What an assistant said that stands in no content.
bool says_it_elsewhere(const ConversationMessage& message) {
  if (message.extra_json.empty()) return false;
  constexpr std::array<std::string_view, 7> fields{
      "refusal", "audio", "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "images"};
  const Json extra = object_in(message.extra_json);
  return std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
    const Json* const value = find_field(extra, field);
    return value != nullptr && !value->empty() && *value != "";
  });
}

bool says_nothing(const MessageContent& content, bool counts_blanks) {
  const auto is_nothing = [&](const std::string& text) { return counts_blanks ? text.empty() : is_blank_text(text); };
  if (const auto* const text = std::get_if<std::string>(&content)) return is_nothing(*text);
  const auto* const parts = std::get_if<Parts>(&content);
  if (parts == nullptr) return true;
  return std::all_of(parts->begin(), parts->end(),
                     [&](const ContentPart& part) { return part.kind == PartKind::text && is_nothing(part.text); });
}

}  // namespace

bool is_empty(const ConversationMessage& message, EmptyMessages demand) {
  if (demand == EmptyMessages::allowed || message.role == Role::tool || !message.tool_calls.empty()) return false;
  const bool takes_blanks = demand == EmptyMessages::refused;
  if (is_instruction(message) && takes_blanks) return false;
  return says_nothing(message.content, takes_blanks) && !says_it_elsewhere(message);
}

std::optional<WithoutBlanks> without_blanks(const ConversationMessage& message, EmptyMessages demand) {
  const auto* const parts = std::get_if<Parts>(&message.content);
  if (demand != EmptyMessages::blanks_refused || parts == nullptr) return std::nullopt;
  if (std::none_of(parts->begin(), parts->end(), is_blank_part)) return std::nullopt;
  WithoutBlanks without{message};
  auto& left = std::get<Parts>(without.message.content);
  without.has_breakpoint = std::any_of(
      left.begin(), left.end(), [](const ContentPart& part) { return is_blank_part(part) && has_breakpoint(part); });
  left.erase(std::remove_if(left.begin(), left.end(), is_blank_part), left.end());
  const bool is_left = !left.empty();
  if (without.has_breakpoint && (is_left || !message.tool_calls.empty())) put_breakpoint(without.message);
  if (!is_left && message.role == Role::tool) without.message.content = std::string();
  if (!is_left && message.role == Role::assistant) without.message.content = std::monostate();
  return without;
}

void put_breakpoint(ConversationMessage& message) {
  Json extra = object_in(message.extra_json);
  extra[breakpoint] = {{"type", "ephemeral"}};
  message.extra_json = dump_json(extra);
}

}  // namespace ctxmgr
