#include "engine/history/pasted_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

/// Nobody types so much in one line. What is longer is not quoted either.
constexpr std::size_t longest_own_line = 3'000;   // bytes
constexpr std::size_t longest_inline_quote = 80;  // bytes, at an end of a sentence

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

/// Blanks what is not the writer's own.
class Mask {
 public:
  explicit Mask(std::string_view text) : written_(text), text_(text) {}

  std::string take() {
    hide_fences();
    hide_tags();
    hide_lines();
    hide_quotes();
    hide_data();
    return std::move(text_);
  }

 private:
  /// Line ends stay, for they end sentences.
  void hide(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, text_.size()); ++i)
      if (text_[i] != '\n') text_[i] = ' ';
  }

  /// Between two of these; to the end where the second is missing.
  void hide_fences() {
    for (const std::string_view fence : {"```", "~~~", "\"\"\""}) {
      for (auto open = text_.find(fence); open != std::string::npos; open = text_.find(fence, open)) {
        const auto close = text_.find(fence, open + fence.size());
        hide(open, close == std::string::npos ? text_.size() : close + fence.size());
      }
    }
    for (auto open = text_.find('`'); open != std::string::npos; open = text_.find('`', open)) {
      const auto close = text_.find('`', open + 1);
      if (close == std::string::npos) break;
      hide(open, close + 1);
    }
  }

  /// "<page>…</page>" and "[page]…[/page]"; a tag without its partner alone.
  void hide_tags() {
    for (const auto& [left, right] : {std::pair('<', '>'), std::pair('[', ']')}) {
      for (auto open = text_.find(left); open != std::string::npos; open = text_.find(left, open + 1)) {
        std::size_t end = open + 1;
        while (end < text_.size() &&
               (ascii::is_letter(text_[end]) || ascii::is_digit(text_[end]) || text_[end] == '_' || text_[end] == '-'))
          ++end;
        const auto close = text_.find(right, end);
        if (end == open + 1 || close == std::string::npos) continue;
        const auto partner = std::string(1, left) + "/" + text_.substr(open + 1, end - open - 1);
        const auto last = text_.find(partner, close);
        if (last != std::string::npos) {
          hide(open, text_.find(right, last) == std::string::npos ? text_.size() : text_.find(right, last) + 1);
        } else if (left == '<') {
          hide(open, close + 1);
        }
      }
    }
  }

  void hide_lines() {
    auto pasted = Pasted::no;
    std::size_t ruler = 0;  // where the last line of dashes or the like began, plus 1
    for (std::size_t begin = 0; begin < text_.size();) {
      const auto end = std::min(text_.find('\n', begin), text_.size());
      const auto trimmed = ascii::trimmed(std::string_view(text_).substr(begin, end - begin));
      if (is_ruler(trimmed)) {
        if (ruler > 0) hide(ruler - 1, end);
        ruler = ruler > 0 ? 0 : begin + 1;
      }
      pasted = pasted_at(pasted, trimmed);
      const bool is_foreign = is_foreign_line(written_.substr(begin, end - begin)) && !(begin == 0 && is_stamped(end));
      if ((is_pasted(pasted) && !is_list_item(trimmed)) || is_foreign) hide(begin, end);
      if (!is_pasted(pasted) && ends_with_colon(trimmed) && end < text_.size()) pasted = Pasted::announced;
      begin = end + 1;
    }
  }

  /// Hosts write the time before what somebody says: a first line that looks like one of a log is none where no other follows.
  [[nodiscard]] bool is_stamped(std::size_t end) const {
    const auto next = std::min(written_.find_first_not_of(" \t\n", end), written_.size());
    const auto second = written_.substr(next, written_.find('\n', next) - next);
    const auto first = ascii::trimmed(written_.substr(0, end));
    const auto has_level = [first](std::string_view level) { return first.find(level) != std::string_view::npos; };
    return is_log_line(first) && !is_log_line(second) && std::none_of(levels.begin(), levels.end(), has_level);
  }

  /// What a line with a colon at its end announces. Items of a list are the writer's own anywhere.
  enum class Pasted {
    no,
    announced,  ///< By the line before.
    awaited,    ///< Behind blank lines.
    document,   ///< Begun behind a blank line: it goes to the end.
    paragraph,  ///< To the next blank line.
    list,       ///< As far as its items go.
  };

  static bool is_pasted(Pasted pasted) { return pasted == Pasted::document || pasted == Pasted::paragraph; }

  /// What the next line belongs to.
  static Pasted pasted_at(Pasted before, std::string_view line) {
    const bool is_item = is_list_item(line);
    switch (before) {
      case Pasted::no:
      case Pasted::document: return before;
      case Pasted::announced:
        if (line.empty()) return Pasted::awaited;
        return is_item ? Pasted::list : Pasted::paragraph;
      case Pasted::awaited:
        if (line.empty()) return before;
        return is_item ? Pasted::list : Pasted::document;
      case Pasted::paragraph: return line.empty() ? Pasted::no : before;
      case Pasted::list: break;
    }
    return is_item || line.empty() ? Pasted::list : Pasted::no;
  }

  static bool ends_with_colon(std::string_view line) {
    return !line.empty() && (line.back() == ':' || (line.size() > 2 && line.substr(line.size() - 3) == "\uFF1A"));
  }

  static bool is_ruler(std::string_view line) {
    return line.size() >= 3 && line.find_first_not_of(line[0]) == std::string_view::npos &&
           std::string_view("-=*_#").find(line[0]) != std::string_view::npos;
  }

  static bool is_list_item(std::string_view line) {
    if (begins_with(line, "- ") || begins_with(line, "* ") || begins_with(line, "• ")) return true;
    std::size_t digits = 0;
    while (digits < line.size() && ascii::is_digit(line[digits])) ++digits;
    return digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  }

  /// Quoted, indented, of a table, a command, a log, or a header of a mail.
  static bool is_foreign_line(std::string_view line) {
    if (begins_with(line, "    ") || begins_with(line, "\t")) return true;
    const auto text = ascii::trimmed(line);
    for (const std::string_view mark : {">", "|", "$ ", "# ", "+++", "---", "@@", "From:", "To:", "Subject:", "Date:"})
      if (begins_with(text, mark)) return true;
    return is_log_line(text);
  }

  static constexpr std::array<std::string_view, 9> levels{"INFO",  "WARN",  "WARNING", "ERROR",   "DEBUG",
                                                          "TRACE", "FATAL", "NOTICE",  "CRITICAL"};

  /// "[INFO] …", "ERROR: …", "2026-11-22 …", "12:30:01 …".
  static bool is_log_line(std::string_view line) {
    if (!line.empty() && line[0] == '[') line.remove_prefix(1);
    for (const auto level : levels)
      if (begins_with(line, level) && line.size() > level.size() && !ascii::is_letter(line[level.size()])) return true;
    const auto date = [](std::string_view text, char separator, std::size_t first) {
      return text.size() > first + 3 && ascii::is_digit(text[0]) && text[first] == separator &&
             text[first + 3] == separator;
    };
    return date(line, '-', 4) || date(line, ':', 2) || date(line, '/', 4);
  }

  void hide_quotes() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> marks{{{"“", "”"},
                                                                                   {"„", "“"},
                                                                                   {"„", "”"},
                                                                                   {"«", "»"},
                                                                                   {"»", "«"},
                                                                                   {"「", "」"},
                                                                                   {"『", "』"},
                                                                                   {"《", "》"},
                                                                                   {"‹", "›"},
                                                                                   {"‘", "’"}}};
    for (const auto& [left, right] : marks) hide_between(left, right);
    hide_between("\"", "\"");
    hide_single_quotes();
  }

  void hide_between(std::string_view left, std::string_view right) {
    for (auto open = text_.find(left); open != std::string::npos; open = text_.find(left, open + 1)) {
      const auto close = text_.find(right, open + left.size());
      if (close == std::string::npos) return;
      hide(open, close + right.size());
    }
  }

  /// Not the apostrophes of words.
  void hide_single_quotes() {
    for (auto open = text_.find('\''); open != std::string::npos; open = text_.find('\'', open + 1)) {
      if (open > 0 && !ascii::is_blank(text_[open - 1]) && text_[open - 1] != '(' && text_[open - 1] != ':') continue;
      auto close = text_.find('\'', open + 1);
      while (close != std::string::npos && close + 1 < text_.size() && ascii::is_letter(text_[close + 1]))
        close = text_.find('\'', close + 1);
      if (close == std::string::npos) return;
      hide(open, close + 1);
    }
  }

  /// JSON and the like.
  void hide_data() {
    for (auto open = text_.find('{'); open != std::string::npos; open = text_.find('{', open + 1)) {
      const auto close = text_.rfind('}');
      if (close == std::string::npos || close < open) return;
      hide(open, close + 1);
    }
  }

  std::string_view written_;
  std::string text_;
};

bool has_several_lines(std::string_view text) {
  for (const std::string_view end : {"\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"})
    if (text.find(end) != std::string_view::npos) return true;
  return false;
}

/// Whether anything is hidden in `own` that is more than a short quote within a sentence.
bool hides_more_than_quotes(std::string_view text, std::string_view own) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (own[at] == text[at]) continue;
    std::size_t end = at;
    while (end < text.size() && own[end] == ' ') ++end;
    if (!is_inline_quote(ascii::trimmed(text.substr(at, end - at)))) return true;
    at = end;
  }
  return ascii::trimmed(own).empty();
}

}  // namespace

bool is_inline_quote(std::string_view text) {
  if (text.empty() || text.size() > longest_inline_quote || begins_with(text, "```")) return false;
  for (const std::string_view mark : {"`", "\"", "'", "“", "„", "«", "»", "‘", "‹", "「", "『", "《"})
    if (begins_with(text, mark)) return true;
  return false;
}

std::string own_words(std::string_view text) { return Mask(text).take(); }

bool may_hold_pasted_text(std::string_view message) {
  const auto text = ascii::trimmed(message);
  if (text.empty()) return false;
  if (text.size() > longest_own_line || has_several_lines(text)) return true;
  return hides_more_than_quotes(text, own_words(text));
}

}  // namespace ctxmgr::engine
