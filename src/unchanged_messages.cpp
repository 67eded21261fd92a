#include "unchanged_messages.hpp"

#include <unordered_map>

#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {

UnchangedMessages::UnchangedMessages(const std::vector<ConversationMessage>& read) {
  texts_.reserve(read.size());
  for (const ConversationMessage& message : read) texts_.push_back(to_json(message));
}

std::vector<std::optional<std::size_t>> UnchangedMessages::find(const std::vector<ConversationMessage>& built) const {
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;
  for (std::size_t i = texts_.size(); i-- > 0;) places[texts_[i]].push_back(i);
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
