#include "engine/build/pieces.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/build/data_block.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {
namespace {

/// Speaker with colon and blank, and what was said.
std::pair<std::string_view, std::string_view> split(std::string_view text, std::size_t label) {
  return {text.substr(0, label), text.substr(std::min(label, text.size()))};
}

}  // namespace

std::string piece_header(const std::vector<ConversationMessage>& messages, std::size_t message) {
  const auto number = messages[message].sequence_number.value_or(static_cast<std::int64_t>(message) + 1);
  auto header = "[" + std::to_string(number) + "]";
  if (messages[message].role != Role::tool) return header;
  const auto* call = call_answered_by(messages, message);
  return header + " " + (call == nullptr ? "tool" : short_call(call->name, call->arguments_json));
}

bool is_bare_call(const ConversationMessage& message) {
  return !message.tool_calls.empty() && text_of(message).empty();
}

std::string render_pieces(const std::vector<ConversationMessage>& messages, const std::vector<SelectedText>& pieces) {
  std::string text;
  std::string_view before;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto message = pieces[i].index;
    const bool is_result = messages[message].role == Role::tool;
    const bool follows = i > 0 && pieces[i - 1].index + 1 == message;
    if (is_result || !follows) text += piece_header(messages, message);
    const auto [label, said] = split(pieces[i].text, label_bytes(messages[message]));
    const auto rest = after(before, said);
    if (is_result)
      text += ": ";
    else
      text.append(follows ? "" : " ").append(label);
    text.append(rest).append("\n");
    before = said;
  }
  return text;
}

}  // namespace ctxmgr::engine
