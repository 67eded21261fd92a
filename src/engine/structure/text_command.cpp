#include "engine/structure/text_command.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view fence = "```";
constexpr std::size_t longest_shell_line = 400;  // bytes

bool is_shell(std::string_view language) {
  constexpr std::array<std::string_view, 6> names{"", "bash", "sh", "shell", "console", "zsh"};
  return std::find(names.begin(), names.end(), language) != names.end();
}

/// What agents have run. Pages, styles and languages that are compiled are shown to people.
bool is_run(std::string_view language) {
  constexpr std::array<std::string_view, 15> names{"python", "py",         "python3",   "ipython", "tool_code",
                                                   "sql",    "javascript", "js",        "json",    "powershell",
                                                   "r",      "ruby",       "tool_call", "action",  "execute"};
  return is_shell(language) || std::find(names.begin(), names.end(), language) != names.end();
}

struct CodeBlock {
  std::string_view language{};
  std::string_view code{};
};

/// The block of code that ends a text; without a language where there is none.
std::optional<CodeBlock> last_block_of(std::string_view text) {
  text = ascii::trimmed(text);
  if (text.size() < 2 * fence.size() || text.substr(text.size() - fence.size()) != fence) return std::nullopt;
  text.remove_suffix(fence.size());
  const auto open = text.rfind(fence);
  if (open == std::string_view::npos) return std::nullopt;
  text.remove_prefix(open + fence.size());
  const auto line = text.find('\n');
  if (line == std::string_view::npos) return std::nullopt;
  return CodeBlock{ascii::trimmed(text.substr(0, line)), ascii::trimmed(text.substr(line))};
}

bool is_name_character(char c) { return ascii::is_letter(c) || ascii::is_digit(c) || c == '_' || c == '-'; }

/// "</function>" at the end.
bool ends_in_closing_tag(std::string_view text) {
  const auto open = text.rfind("</");
  if (open == std::string_view::npos || text.back() != '>') return false;
  const auto name = text.substr(open + 2, text.size() - open - 3);
  return !name.empty() && std::all_of(name.begin(), name.end(), is_name_character);
}

/// "search[red shoes]", "click(3)" at the end of the last line.
bool ends_in_call(std::string_view text) {
  const auto line = text.substr(text.rfind('\n') + 1);
  if (line.empty() || (line.back() != ']' && line.back() != ')')) return false;
  const auto open = line.find(line.back() == ']' ? '[' : '(');
  return open != std::string_view::npos && open > 0 && is_name_character(line[open - 1]);
}

/// "ls -l src": one line that begins as commands do and does not end as a sentence does.
bool is_shell_line(std::string_view text) {
  if (text.size() > longest_shell_line || text.find('\n') != std::string_view::npos) return false;
  const bool begins = (text[0] >= 'a' && text[0] <= 'z') || text[0] == '.' || text[0] == '/' || text[0] == '~';
  const bool is_ascii = std::all_of(text.begin(), text.end(), [](char c) { return (c & '\x80') == 0; });
  return begins && is_ascii && std::string_view(".!?:,").find(text.back()) == std::string_view::npos;
}

}  // namespace

std::string text_command_of(const ConversationMessage& message) {
  if (message.role != Role::assistant || !message.tool_calls.empty()) return {};
  const auto text = text_of(message);
  const auto block = last_block_of(text);
  return block && is_shell(block->language) ? std::string(block->code) : std::string();
}

bool ends_in_command(const ConversationMessage& message) {
  if (message.role != Role::assistant || !message.tool_calls.empty()) return false;
  const auto whole = text_of(message);
  const auto text = ascii::trimmed(whole);
  if (text.empty()) return false;
  if (const auto block = last_block_of(text)) return !block->code.empty() && is_run(block->language);
  if (text.front() == '{' && text.back() == '}') return true;
  return ends_in_closing_tag(text) || ends_in_call(text) || is_shell_line(text);
}

std::string text_command_answered_by(const std::vector<ConversationMessage>& messages, std::size_t message) {
  if (message == 0 || messages[message].role != Role::user) return {};
  return text_command_of(messages[message - 1]);
}

}  // namespace ctxmgr::engine
