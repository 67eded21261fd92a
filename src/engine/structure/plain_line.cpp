#include "engine/structure/plain_line.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/utf8.hpp"

namespace ctxmgr::engine {
namespace {

/// Invisible, direction-changing and tag characters, which hide text from people.
bool is_deceptive(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE007F);
}

/// Control tokens in square brackets: the chat templates of Llama 2, Mistral and GLM. Those of other families (ChatML,
/// Llama 3, Gemma, Phi, Qwen, DeepSeek, gpt-oss) stand in angle brackets. From the models' published tokenizers, 2026-11.
constexpr std::array<std::string_view, 19> control_names = {
    "INST",        "SYSTEM_PROMPT", "AVAILABLE_TOOLS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT", "MODEL_SETTINGS",
    "THINK",       "ARGS",          "CALL_ID",         "IMG",        "IMG_BREAK",    "IMG_END",      "AUDIO",
    "BEGIN_AUDIO", "PREFIX",        "MIDDLE",          "SUFFIX",     "gMASK"};

/// Whether `text`, which begins with a bracket, begins with a control token.
bool is_control_token(std::string_view text) {
  constexpr std::size_t longest = 18;  // "[/AVAILABLE_TOOLS]"
  const auto end = text.substr(0, longest).find(']');
  if (end == std::string_view::npos) return false;
  auto name = text.substr(1, end - 1);
  if (!name.empty() && name.front() == '/') name.remove_prefix(1);
  return std::find(control_names.begin(), control_names.end(), name) != control_names.end();
}

/// The first bracket of each becomes another one, so that the rest stays readable.
std::string without_control_tokens(std::string line) {
  for (auto at = line.find('['); at != std::string::npos; at = line.find('[', at + 1)) {
    if (is_control_token(std::string_view(line).substr(at))) line.replace(at, 1, "⟦");
  }
  return line;
}

}  // namespace

std::string plain_line(std::string_view text, std::size_t max_chars) {
  std::string line;
  std::size_t chars = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = utf8::decode(text, at);
    if (chars == max_chars) {
      line += "…";
      break;
    }
    if (c.value < 0x20 || c.value == 0x7F || (c.value >= 0x80 && c.value < 0xA0) || c.value == 0x2028 ||
        c.value == 0x2029) {
      if (!line.empty() && line.back() != ' ') line += ' ', ++chars;
    } else if (c.value == '<') {
      line += "‹", ++chars;  // No fence, role token or tag can be written without it.
    } else if (!is_deceptive(c.value)) {
      line += text.substr(at, c.bytes), ++chars;
    }
    at += c.bytes;
  }
  return without_control_tokens(std::move(line));  // last: a token may have been hidden by characters that are gone
}

}  // namespace ctxmgr::engine
