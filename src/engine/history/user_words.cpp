#include "engine/history/user_words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "engine/history/instructions.hpp"
#include "engine/words/names.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_turn = 600;          // code points of own words
constexpr std::size_t longest_user_text = 16'000;  // bytes: whoever pastes more says little beside it

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

/// Blanks what is not the writer's own.
class Mask {
 public:
  explicit Mask(std::string_view text) : text_(text) {}

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
    bool pasted = false;    // after a line that announces something
    std::size_t ruler = 0;  // where the last line of dashes or the like began, plus 1
    for (std::size_t begin = 0; begin < text_.size();) {
      const auto end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line(text_.data() + begin, end - begin);
      const auto trimmed = ascii::trimmed(line);
      if (is_ruler(trimmed)) {
        if (ruler > 0) hide(ruler - 1, end);
        ruler = ruler > 0 ? 0 : begin + 1;
      }
      const bool announces = !pasted && ends_with_colon(trimmed) && end < text_.size();
      if ((pasted && !is_list_item(trimmed)) || is_foreign_line(line)) hide(begin, end);
      pasted = pasted || announces;
      begin = end + 1;
    }
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

  /// "[INFO] …", "ERROR: …", "2026-11-22 …", "12:30:01 …".
  static bool is_log_line(std::string_view line) {
    if (!line.empty() && line[0] == '[') line.remove_prefix(1);
    for (const std::string_view level :
         {"INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "NOTICE", "CRITICAL"})
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

  std::string text_;
};

/// The sentences of a turn, as they were written; whether they instruct is judged by what is the writer's own.
std::vector<UserSentences::Sentence> read_turn(std::string_view text) {
  std::vector<UserSentences::Sentence> sentences;
  if (text.size() > longest_user_text) return sentences;
  const std::string own = own_words(text);
  const auto found = sentences_of(own);
  std::size_t characters = 0;
  for (const auto sentence : found) characters += utf8::count_code_points(sentence);
  if (characters > longest_turn) return sentences;
  for (const auto sentence : found) {
    const auto at = static_cast<std::size_t>(sentence.data() - own.data());
    sentences.push_back({std::string(ascii::trimmed(text.substr(at, sentence.size()))), instructs(sentence)});
  }
  return sentences;
}

/// It says nothing that holds beyond its answer.
/// The mark alone, and narrower than what instructions take for a question: "(really?)" may still hold a fact to be quoted,
/// but is no instruction.
bool ends_with_question_mark(std::string_view sentence) {
  for (const std::string_view mark : {"?", "？", "؟"})
    if (sentence.size() >= mark.size() && sentence.substr(sentence.size() - mark.size()) == mark) return true;
  return false;
}

/// Sentences are quoted in this order.
enum class Pass { instructions, facts, rest };

bool has_figure(std::string_view sentence) {
  return std::any_of(sentence.begin(), sentence.end(), ascii::is_digit) || !names_in(sentence).empty();
}

bool belongs_to(Pass pass, const UserSentences::Sentence& sentence) {
  if (pass == Pass::instructions) return sentence.instructs;
  if (ends_with_question_mark(sentence.text)) return false;
  return pass == Pass::rest || has_figure(sentence.text);
}

}  // namespace

std::string own_words(std::string_view text) { return Mask(text).take(); }

void UserSentences::extend(const std::vector<ConversationMessage>& messages) {
  for (std::size_t i = sentences_.size(); i < messages.size(); ++i) {
    std::vector<Sentence> sentences;
    if (messages[i].role == Role::user) sentences = read_turn(text_of(messages[i]));
    for (const auto& sentence : sentences) bytes_ += sentence.text.size() + sizeof(Sentence);
    sentences_.push_back(std::move(sentences));
  }
}

std::string quote_user_words(const UserSentences& sentences, const UserWordsRequest& request) {
  std::map<std::size_t, std::set<std::size_t>> chosen;
  std::set<std::string_view> said;  // A sentence that is said again and again stands once, where it was said last.
  std::int64_t used = 0;
  const auto choose = [&](std::size_t turn, std::size_t sentence) {
    if (said.count(sentences.of(turn)[sentence].text) > 0) return;
    std::int64_t cost = request.count(" \"" + sentences.of(turn)[sentence].text + "\"");
    if (chosen.count(turn) == 0) cost += request.count("[" + std::to_string(request.number_of(turn)) + "]\n");
    if (used + cost > request.limit) return;
    used += cost;
    said.insert(sentences.of(turn)[sentence].text);
    chosen[turn].insert(sentence);
  };
  const auto is_told = [&](std::size_t turn) {
    return std::find(request.told.begin(), request.told.end(), turn) != request.told.end();
  };
  const auto is_finished = [&](std::size_t turn) {
    return std::binary_search(request.finished.begin(), request.finished.end(), turn);
  };
  for (const auto pass : {Pass::instructions, Pass::facts, Pass::rest}) {
    for (auto turn = request.turns.rbegin(); turn != request.turns.rend() && used < request.limit; ++turn) {
      if (pass != Pass::instructions && is_told(*turn)) continue;
      if (pass == Pass::rest && is_finished(*turn)) continue;
      for (std::size_t i = 0; i < sentences.of(*turn).size(); ++i)
        if (belongs_to(pass, sentences.of(*turn)[i])) choose(*turn, i);
    }
  }
  std::string text;
  for (const auto& [turn, of_turn] : chosen) {
    text += "[" + std::to_string(request.number_of(turn)) + "]";
    for (const auto sentence : of_turn) text += " \"" + sentences.of(turn)[sentence].text + "\"";
    text += "\n";
  }
  return text;
}

}  // namespace ctxmgr::engine
