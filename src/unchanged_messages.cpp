#include "unchanged_messages.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

/// Of a text: its length, and how it begins and ends.
std::size_t mark_of(std::string_view text) {
  constexpr std::size_t sample = 32;
  const std::hash<std::string_view> hash;
  const auto tail = text.size() > sample ? text.substr(text.size() - sample) : std::string_view();
  return text.size() ^ hash(text.substr(0, sample)) ^ (hash(tail) << 1U);
}

/// Equal for messages that are equal, and seldom for others.
std::size_t mark_of(const ConversationMessage& message) {
  constexpr std::size_t factor = 31;
  auto sum = static_cast<std::size_t>(message.role) * factor + mark_of(message.tool_call_id);
  for (const ToolCall& call : message.tool_calls) sum = sum * factor + mark_of(call.id);
  if (const auto* const text = std::get_if<std::string>(&message.content)) return sum * factor + mark_of(*text);
  const auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr) return sum;
  for (const ContentPart& part : *parts) sum = (sum * factor + mark_of(part.text)) * factor + mark_of(part.json);
  return sum;
}

}  // namespace

std::vector<std::optional<std::size_t>> find_unchanged(const std::vector<ConversationMessage>& read,
                                                       const std::vector<ConversationMessage>& built) {
  // Far more is read than built: only what may be the same is written out to be compared.
  std::unordered_set<std::size_t> wanted;
  for (const ConversationMessage& message : built) wanted.insert(mark_of(message));
  std::unordered_map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = read.size(); i-- > 0;) {
    if (wanted.count(mark_of(read[i])) != 0) places[to_json(read[i])].push_back(i);
  }
  std::vector<std::optional<std::size_t>> found;
  std::size_t next = 0;
  for (const ConversationMessage& message : built) {
    auto& place = found.emplace_back();
    const auto candidates = places.find(to_json(message));
    if (candidates == places.end()) continue;
    auto& left = candidates->second;  // The last is the first.
    while (!left.empty() && left.back() < next) left.pop_back();
    if (left.empty()) continue;
    place = left.back();
    next = *place + 1;
  }
  return found;
}

}  // namespace ctxmgr
