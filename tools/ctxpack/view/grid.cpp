#include "view/grid.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "view/window.hpp"

namespace ctxpack::view {
namespace {

constexpr std::size_t rows = 10;
constexpr std::size_t columns = 40;
constexpr std::size_t cells = rows * columns;

struct Look {
  const char* letter;
  const char* block;
  const char* colour;  ///< Of the 256 that terminals have.
};

/// By kind. The blocks differ in shape as well, for whoever does not see the colours.
constexpr std::array<Look, kinds.size()> looks = {
    {{"F", "█", "67"}, {"N", "▒", "172"}, {"H", "▓", "72"}, {"M", "░", "245"}, {"E", "▚", "134"}, {".", "·", "240"}}};

std::string cell(Kind kind, const TerminalStyle& style, std::size_t count) {
  const Look& look = looks[static_cast<std::size_t>(kind)];
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += style.unicode ? look.block : look.letter;
  return style.colour ? std::string("\033[38;5;").append(look.colour).append("m").append(text).append("\033[0m") : text;
}

/// The kind of each cell: what is there at all has at least one.
std::array<Kind, cells> fill(const Window& window) {
  std::array<Kind, cells> filled{};
  filled.fill(Kind::free);
  const auto total = static_cast<double>(window.total());
  double sum = 0;
  std::size_t at = 0;
  for (const Kind kind : kinds) {
    if (kind == Kind::free || window.of(kind) <= 0) continue;
    sum += static_cast<double>(window.of(kind));
    const auto end = static_cast<std::size_t>(std::lround(sum / total * static_cast<double>(cells)));
    for (const auto first = at; at < cells && (at < end || at == first); ++at) filled[at] = kind;
  }
  return filled;
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool speaks_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto locale = variable(name);
    if (!locale.empty())
      return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
  }
  return false;
}

}  // namespace

TerminalStyle TerminalStyle::from_environment(bool is_terminal) {
  const bool colour = is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return {colour, speaks_unicode()};
}

std::string grid(const ctxmgr::ContextUtilizationMetadata& receipt, const TerminalStyle& style) {
  const Window window = window_of(receipt);
  const auto filled = fill(window);
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    out += "  ";
    for (std::size_t at = row * columns; at < (row + 1) * columns;) {
      auto end = at + 1;
      while (end < (row + 1) * columns && filled[end] == filled[at]) ++end;
      out += cell(filled[at], style, end - at);
      at = end;
    }
    out += '\n';
  }
  for (const Kind kind : kinds) {
    const double share =
        window.total() > 0 ? 100.0 * static_cast<double>(window.of(kind)) / static_cast<double>(window.total()) : 0;
    char line[160];
    std::snprintf(line, sizeof line, " %-9s %10lld  %5.1f %%  %s\n", std::string(to_string(kind)).c_str(),
                  static_cast<long long>(window.of(kind)), share, std::string(meaning(kind)).c_str());
    (out += "  ").append(cell(kind, style, 1)).append(line);
  }
  return out;
}

}  // namespace ctxpack::view
