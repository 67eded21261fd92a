#include "unchanged_messages.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "engine/history/content_hash.hpp"

namespace ctxmgr {
namespace {

template <class List, class Same>
bool are_same_lists(const List& a, const List& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool is_same_content(const MessageContent& a, const MessageContent& b) {
  if (a.index() != b.index()) return false;
  if (const auto* text = std::get_if<std::string>(&a)) return *text == std::get<std::string>(b);
  const auto* parts = std::get_if<std::vector<ContentPart>>(&a);
  return parts == nullptr ||
         are_same_lists(*parts, std::get<std::vector<ContentPart>>(b), [](const auto& x, const auto& y) {
           return std::tie(x.kind, x.text, x.json) == std::tie(y.kind, y.text, y.json);
         });
}

bool is_same_step(const ReasoningStepRecord& a, const ReasoningStepRecord& b) {
  const auto is_same_call = [](const ToolPrediction& x, const ToolPrediction& y) {
    return std::tie(x.tool_name, x.arguments_json, x.reasoning) == std::tie(y.tool_name, y.arguments_json, y.reasoning);
  };
  const auto is_same_result = [](const ToolResult& x, const ToolResult& y) {
    return std::tie(x.tool_name, x.success, x.result, x.error, x.execution_time) ==
           std::tie(y.tool_name, y.success, y.result, y.error, y.execution_time);
  };
  return std::tie(a.step_index, a.thought, a.timestamp) == std::tie(b.step_index, b.thought, b.timestamp) &&
         are_same_lists(a.tool_predictions, b.tool_predictions, is_same_call) &&
         are_same_lists(a.tool_results, b.tool_results, is_same_result);
}

bool is_same_range(const std::optional<SequenceRange>& a, const std::optional<SequenceRange>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->first == b->first && a->last == b->last;
}

bool is_same_message(const ConversationMessage& a, const ConversationMessage& b) {
  const auto is_same_call = [](const ToolCall& x, const ToolCall& y) {
    return std::tie(x.id, x.name, x.arguments_json, x.extra_json) ==
           std::tie(y.id, y.name, y.arguments_json, y.extra_json);
  };
  const auto fields = [](const ConversationMessage& m) {
    return std::tie(m.role, m.tool_call_id, m.name, m.sequence_number, m.agent, m.created_at, m.retention,
                    m.extra_json);
  };
  return fields(a) == fields(b) && is_same_content(a.content, b.content) &&
         are_same_lists(a.tool_calls, b.tool_calls, is_same_call) &&
         are_same_lists(a.reasoning_steps, b.reasoning_steps, &is_same_step) &&
         is_same_range(a.summary_of, b.summary_of);
}

}  // namespace

std::vector<std::optional<std::size_t>> find_unchanged(const std::vector<ConversationMessage>& read,
                                                       const std::vector<std::uint64_t>& hashes,
                                                       const std::vector<ConversationMessage>& built) {
  // Far more is read than built: only what may be the same is looked up and compared.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;
  std::vector<std::uint64_t> wanted;
  for (const ConversationMessage& message : built) places[wanted.emplace_back(engine::content_hash(message))];
  for (std::size_t i = read.size(); i-- > 0;) {
    if (const auto place = places.find(hashes[i]); place != places.end()) place->second.push_back(i);
  }
  std::vector<std::optional<std::size_t>> found;
  std::size_t next = 0;
  for (std::size_t i = 0; i < built.size(); ++i) {
    auto& place = found.emplace_back();
    auto& left = places[wanted[i]];  // The last is the first.
    while (!left.empty() && left.back() < next) left.pop_back();
    if (left.empty() || !is_same_message(read[left.back()], built[i])) continue;
    place = left.back();
    next = *place + 1;
  }
  return found;
}

}  // namespace ctxmgr
