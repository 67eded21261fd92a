#include "engine/history/user_words.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "engine/history/instructions.hpp"
#include "engine/history/pasted_text.hpp"
#include "engine/words/names.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_turn = 2'000;        // code points of own words
constexpr std::size_t longest_user_text = 16'000;  // bytes: whoever pastes more says little beside it
constexpr std::size_t longest_inline_quote = 80;   // bytes, at an end of a sentence
constexpr std::size_t longest_neighbour = 200;     // bytes, of what a rule is quoted with
constexpr char32_t first_without_blanks = 0x0E00;  // Thai, Hangul, Chinese, Japanese

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

/// It says nothing that holds beyond its answer. The mark alone, and narrower than what instructions take for a question:
/// "(really?)" may still hold a fact to be quoted, but is no instruction.
bool ends_with_question_mark(std::string_view sentence) {
  for (const std::string_view mark : {"?", "？", "؟"})
    if (sentence.size() >= mark.size() && sentence.substr(sentence.size() - mark.size()) == mark) return true;
  return false;
}

/// The number of an item in a list.
bool is_item_number(std::string_view sentence) {
  const auto digits = std::min(sentence.find_first_not_of("0123456789"), sentence.size());
  return digits > 0 && digits < sentence.size() && sentence.find_first_not_of(".)", digits) == std::string_view::npos;
}

/// A sentence as it was written, with what it quotes at its ends. `from`, `to`: the bounds of its neighbours.
std::string_view as_written(std::string_view text, std::string_view sentence, std::size_t at, std::size_t from,
                            std::size_t to) {
  const auto end = at + sentence.size();
  const auto line_begin = text.substr(0, at).rfind('\n');
  from = std::max(from, line_begin == std::string_view::npos ? 0 : line_begin + 1);
  to = std::min({to, text.find('\n', end), text.size()});
  const bool is_closed = std::string_view(".!?").find(sentence.back()) != std::string_view::npos;
  if (is_closed || !is_inline_quote(ascii::trimmed(text.substr(end, to - end)))) to = end;
  if (!is_inline_quote(ascii::trimmed(text.substr(from, at - from)))) from = at;
  return ascii::trimmed(text.substr(from, to - from));
}

bool has_figure(std::string_view sentence) {
  return std::any_of(sentence.begin(), sentence.end(), ascii::is_digit) || !names_in(sentence).empty();
}

bool is_capital_letter(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_LU;
}

bool is_word_letter(char32_t c) {
  const auto kind = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

/// A word that begins with a capital and does not begin the sentence: a name, or a noun in German. "I" is none.
bool has_capital(std::string_view sentence) {
  char32_t before = 0;
  bool is_first = true;
  for (std::size_t at = 0; at < sentence.size();) {
    const auto point = utf8::decode(sentence, at);
    at += point.bytes;
    if (is_word_letter(point.value) && !is_word_letter(before)) {
      const bool goes_on = at < sentence.size() && is_word_letter(utf8::decode(sentence, at).value);
      if (!is_first && goes_on && is_capital_letter(point.value)) return true;
      is_first = false;
    }
    before = point.value;
  }
  return false;
}

/// "No, stop.", "Thanks!": no two words that belong together, no name, no figure. Of scripts without blanks nobody knows.
bool is_empty_talk(std::string_view sentence) {
  std::size_t words = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < sentence.size();) {
    const auto point = utf8::decode(sentence, at);
    at += point.bytes;
    if (point.value >= first_without_blanks) return false;
    const bool is_mark = point.value < 0x80 &&
                         std::string_view(",.;:!?()").find(static_cast<char>(point.value)) != std::string_view::npos;
    const bool is_blank = point.value == ' ' || point.value == '\t';
    if (is_mark) words = 0;
    if (!is_mark && !is_blank && !in_word && ++words > 1) return false;
    in_word = !is_mark && !is_blank;
  }
  return !has_figure(sentence);
}

/// The sentences of a turn, as they were written; whether they instruct is judged by what is the writer's own.
std::vector<UserSentences::Sentence> read_turn(std::string_view text) {
  std::vector<UserSentences::Sentence> sentences;
  if (text.size() > longest_user_text) return sentences;
  const std::string own = own_words(text);
  const auto found = sentences_of(own);
  std::size_t characters = 0;
  for (const auto sentence : found) characters += utf8::count_code_points(sentence);
  if (characters > longest_turn) return sentences;
  const auto place_of = [&own](std::string_view sentence) {
    return static_cast<std::size_t>(sentence.data() - own.data());
  };
  std::size_t taken = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto at = place_of(found[i]);
    const auto next = i + 1 < found.size() ? place_of(found[i + 1]) : text.size();
    const auto written = as_written(text, found[i], at, taken, next);
    const auto begin = static_cast<std::size_t>(written.data() - text.data());
    const bool follows = begin == taken + 1 && taken > 0 && text[taken] == ' ' && !sentences.empty();
    taken = begin + written.size();
    if (is_item_number(written)) continue;
    const auto parts = sentences_of(found[i], true);
    const bool is_question = parts.size() == 1 && ends_with_question_mark(found[i]);
    sentences.push_back({std::string(written), std::any_of(parts.begin(), parts.end(), instructs), is_question,
                         is_empty_talk(written), follows});
  }
  return sentences;
}

/// Sentences of a turn, each in quotation marks; what stood together on a line stands so.
std::string quoted(const std::vector<UserSentences::Sentence>& sentences, const std::set<std::size_t>& chosen) {
  std::string text;
  for (const auto sentence : chosen) {
    const bool goes_on = sentences[sentence].follows && chosen.count(sentence - 1) > 0;
    if (goes_on)
      text.back() = ' ';
    else
      text += " \"";
    text += sentences[sentence].text + "\"";
  }
  return text;
}

/// Behind the rules, sentences are quoted in this order. `named`: with a capital within.
enum class Pass { facts, named, rest };

/// A turn and the place of a sentence in it.
using SentencePlace = std::pair<std::size_t, std::size_t>;

/// Newest turn first.
std::vector<SentencePlace> instructions_in(const UserSentences& sentences, const std::vector<std::size_t>& turns) {
  std::vector<SentencePlace> found;
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    const auto& of_turn = sentences.of(*turn);
    for (std::size_t i = 0; i < of_turn.size(); ++i)
      if (of_turn[i].instructs && !of_turn[i].says_nothing) found.emplace_back(*turn, i);
  }
  return found;
}

/// A rule is short. So most rules fit, and no long sentence of a story that reads like a rule takes the room of several. Those of
/// about one length stay as they are.
std::vector<SentencePlace> shortest_first(std::vector<SentencePlace> places, const UserSentences& sentences) {
  constexpr std::size_t about_one_length = 64;
  const auto length = [&](const SentencePlace& place) {
    return sentences.of(place.first)[place.second].text.size() / about_one_length;
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](const SentencePlace& a, const SentencePlace& b) { return length(a) < length(b); });
  return places;
}

}  // namespace

bool is_inline_quote(std::string_view text) {
  if (text.empty() || text.size() > longest_inline_quote || begins_with(text, "```")) return false;
  for (const std::string_view mark : {"`", "\"", "'", "“", "„", "«", "»", "‘", "‹", "「", "『", "《"})
    if (begins_with(text, mark)) return true;
  return false;
}

std::string own_words(std::string_view text) { return Mask(text).take(); }

void UserSentences::extend(const std::vector<ConversationMessage>& messages) {
  for (std::size_t i = sentences_.size(); i < messages.size(); ++i) {
    std::vector<Sentence> sentences;
    if (messages[i].role == Role::user) sentences = read_turn(text_of(messages[i]));
    may_be_pasted_.push_back(messages[i].role == Role::user && may_hold_pasted_text(text_of(messages[i])));
    for (const auto& sentence : sentences) bytes_ += sentence.text.size() + sizeof(Sentence);
    sentences_.push_back(std::move(sentences));
  }
}

QuotedWords quote_user_words(const UserSentences& sentences, const UserWordsRequest& request) {
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
  const auto belongs = [&](Pass pass, const UserSentences::Sentence& sentence) {
    if (sentence.says_nothing) return false;
    if (sentence.is_question) return false;
    return pass == Pass::rest || (pass == Pass::named ? has_capital(sentence.text) : has_figure(sentence.text));
  };
  const auto choose_neighbour = [&](std::size_t turn, std::size_t sentence) {
    const auto& of_turn = sentences.of(turn);
    if (!of_turn[sentence].says_nothing && of_turn[sentence].text.size() <= longest_neighbour) choose(turn, sentence);
  };
  for (const auto& [turn, sentence] : shortest_first(instructions_in(sentences, request.turns), sentences))
    choose(turn, sentence);
  // The sentence beside a rule may give it its noun. All rules come before the first of these.
  for (const auto& [turn, of_turn] : std::map(chosen)) {
    for (const auto sentence : of_turn) {
      const auto& all = sentences.of(turn);
      if (all[sentence].follows) choose_neighbour(turn, sentence - 1);
      if (sentence + 1 < all.size() && all[sentence + 1].follows) choose_neighbour(turn, sentence + 1);
    }
  }
  for (const auto pass : {Pass::facts, Pass::named, Pass::rest}) {
    if (request.only_rules) break;
    for (auto turn = request.turns.rbegin(); turn != request.turns.rend() && used < request.limit; ++turn)
      for (std::size_t i = 0; i < sentences.of(*turn).size(); ++i)
        if (belongs(pass, sentences.of(*turn)[i])) choose(*turn, i);
  }
  QuotedWords words;
  for (const auto& [turn, of_turn] : chosen) {
    auto& text = sentences.may_be_pasted(turn) ? words.may_be_pasted : words.own;
    text += "[" + std::to_string(request.number_of(turn)) + "]" + quoted(sentences.of(turn), of_turn) + "\n";
  }
  return words;
}

}  // namespace ctxmgr::engine
