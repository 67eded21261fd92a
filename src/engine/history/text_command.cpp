#include "engine/history/text_command.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view fence = "```";

bool is_shell(std::string_view language) {
  constexpr std::array<std::string_view, 6> names{"", "bash", "sh", "shell", "console", "zsh"};
  return std::find(names.begin(), names.end(), language) != names.end();
}

}  // namespace

std::string text_command_of(const ConversationMessage& message) {
  if (message.role != Role::assistant || !message.tool_calls.empty()) return {};
  const auto whole = text_of(message);
  auto text = ascii::trimmed(whole);
  if (text.size() < 2 * fence.size() || text.substr(text.size() - fence.size()) != fence) return {};
  text.remove_suffix(fence.size());
  const auto open = text.rfind(fence);
  if (open == std::string_view::npos) return {};
  text.remove_prefix(open + fence.size());
  const auto line = text.find('\n');
  if (line == std::string_view::npos || !is_shell(ascii::trimmed(text.substr(0, line)))) return {};
  return std::string(ascii::trimmed(text.substr(line)));
}

std::string text_command_answered_by(const std::vector<ConversationMessage>& messages, std::size_t message) {
  if (message == 0 || messages[message].role != Role::user) return {};
  return text_command_of(messages[message - 1]);
}

}  // namespace ctxmgr::engine
