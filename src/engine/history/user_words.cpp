#include "engine/history/user_words.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "engine/history/instructions.hpp"
#include "engine/history/pasted_text.hpp"
#include "engine/structure/sentences.hpp"
#include "engine/words/names.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_turn = 2'000;        // code points of own words
constexpr std::size_t longest_end = 400;           // bytes, of what stands before a longer turn's text, or behind it
constexpr std::size_t longest_user_text = 16'000;  // bytes: whoever pastes more says little beside it
constexpr std::size_t longest_neighbour = 200;     // code points, of what a rule is quoted with
constexpr std::size_t short_sentence = 64;         // code points
constexpr char32_t first_without_blanks = 0x0E00;  // Thai, Hangul, Chinese, Japanese

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

/// Of a long text the sentences before its first blank line and behind its last one, where few stand there: who pastes it says there what
/// he wants.
std::vector<std::string_view> at_the_ends(std::vector<std::string_view> sentences, std::string_view text) {
  const auto begin = std::min(text.find("\n\n"), text.size());
  const auto last = text.rfind("\n\n");
  const auto end = last == std::string_view::npos ? text.size() : last;
  const auto is_between = [&](std::string_view sentence) {
    const auto at = static_cast<std::size_t>(sentence.data() - text.data());
    const bool is_first = at < begin && begin <= longest_end;
    const bool is_last = at > end && text.size() - end <= longest_end;
    return !is_first && !is_last;
  };
  sentences.erase(std::remove_if(sentences.begin(), sentences.end(), is_between), sentences.end());
  return sentences;
}

/// The sentences of a turn, as they were written; whether they instruct is judged by what is the writer's own.
std::vector<UserSentences::Sentence> read_turn(std::string_view text) {
  std::vector<UserSentences::Sentence> sentences;
  if (text.size() > longest_user_text) return sentences;
  const std::string own = own_words(text);
  auto found = sentences_of(own);
  std::size_t characters = 0;
  for (const auto sentence : found) characters += utf8::count_code_points(sentence);
  if (characters > longest_turn) found = at_the_ends(std::move(found), own);
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
    const auto parts = sentences_of(found[i], SentenceUse::parts);
    const bool is_question = parts.size() == 1 && ends_with_question_mark(found[i]);
    sentences.push_back({std::string(written), std::any_of(parts.begin(), parts.end(), instructs),
                         std::any_of(parts.begin(), parts.end(), orders), is_question, is_empty_talk(written), follows,
                         utf8::count_code_points(written)});
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
std::vector<SentencePlace> places_of(const UserSentences& sentences, const std::vector<std::size_t>& turns,
                                     bool UserSentences::Sentence::*is_one) {
  std::vector<SentencePlace> found;
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    const auto& of_turn = sentences.of(*turn);
    for (std::size_t i = 0; i < of_turn.size(); ++i)
      if (of_turn[i].*is_one && !of_turn[i].says_nothing) found.emplace_back(*turn, i);
  }
  return found;
}

/// Short sentences that ask nothing; only those that are a message, or all.
std::vector<SentencePlace> short_sentences_in(const UserSentences& sentences, const std::vector<std::size_t>& turns,
                                              bool only_messages) {
  std::vector<SentencePlace> found;
  for (const auto turn : turns) {
    const auto& of_turn = sentences.of(turn);
    if (only_messages && of_turn.size() != 1) continue;
    for (std::size_t i = 0; i < of_turn.size(); ++i)
      if (!of_turn[i].says_nothing && !of_turn[i].is_question && of_turn[i].length <= short_sentence)
        found.emplace_back(turn, i);
  }
  return found;
}

/// A sentence with its short neighbours on the line: the first of them, and behind the last.
std::pair<std::size_t, std::size_t> on_its_line(const std::vector<UserSentences::Sentence>& turn, std::size_t i,
                                                std::size_t longest) {
  const auto belongs = [&](std::size_t k) { return !turn[k].says_nothing && turn[k].length <= longest; };
  const auto first = turn[i].follows && belongs(i - 1) ? i - 1 : i;
  const auto last = i + 1 < turn.size() && turn[i + 1].follows && belongs(i + 1) ? i + 1 : i;
  return {first, last + 1};
}

/// A rule is short. So most rules fit, and no long sentence of a story that reads like a rule takes the room of several. Those of
/// about one length stay as they are.
std::vector<SentencePlace> shortest_first(std::vector<SentencePlace> places, const UserSentences& sentences) {
  const auto length = [&](const SentencePlace& place) {
    return sentences.of(place.first)[place.second].length / short_sentence;
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](const SentencePlace& a, const SentencePlace& b) { return length(a) < length(b); });
  return places;
}

/// Chooses sentences as long as they fit.
class Quoting {
 public:
  Quoting(const UserSentences& sentences, const UserWordsRequest& request) : sentences_(sentences), request_(request) {}

  /// The sentence beside a rule may give it its noun. All rules come before the first long one of these.
  void choose_rules() {
    const auto rules =
        shortest_first(places_of(sentences_, request_.turns, &UserSentences::Sentence::instructs), sentences_);
    for (const auto& rule : rules) {
      choose(rule);
      if (is_chosen(rule)) choose_neighbours(rule, short_sentence);
    }
    for (const auto& rule : rules)
      if (is_chosen(rule)) choose_neighbours(rule, longest_neighbour);
  }

  /// No list has all words by which people order something: so what is short and stands among few of its kind counts, too.
  void choose_orders() {
    for (const auto& order :
         shortest_first(places_of(sentences_, request_.turns, &UserSentences::Sentence::orders), sentences_))
      choose(order);
    for (const bool only_messages : {true, false}) {
      const auto places = short_sentences_in(sentences_, request_.turns, only_messages);
      std::int64_t cost = 0;
      for (const auto& place : places)
        if (!is_chosen(place)) cost += cost_of(place);
      if (used_ + cost > request_.limit) return;
      for (const auto& place : places) choose(place);
    }
  }

  void choose_more() {
    for (const auto pass : {Pass::facts, Pass::named, Pass::rest})
      for (auto turn = request_.turns.rbegin(); turn != request_.turns.rend() && used_ < request_.limit; ++turn)
        for (std::size_t i = 0; i < sentences_.of(*turn).size(); ++i)
          if (belongs(pass, sentences_.of(*turn)[i])) choose({*turn, i});
  }

  /// In the order said.
  [[nodiscard]] QuotedWords words() const {
    QuotedWords words;
    for (const auto& [turn, of_turn] : chosen_) {
      auto& text = sentences_.may_be_pasted(turn) ? words.may_be_pasted : words.own;
      text += "[" + std::to_string(request_.number_of(turn)) + "]" + quoted(sentences_.of(turn), of_turn) + "\n";
    }
    return words;
  }

 private:
  static bool belongs(Pass pass, const UserSentences::Sentence& sentence) {
    if (sentence.says_nothing || sentence.is_question) return false;
    return pass == Pass::rest || (pass == Pass::named ? has_capital(sentence.text) : has_figure(sentence.text));
  }

  [[nodiscard]] const std::string& text_at(const SentencePlace& place) const {
    return sentences_.of(place.first)[place.second].text;
  }

  [[nodiscard]] std::int64_t cost_of(const SentencePlace& place) const {
    const auto cost = request_.count(" \"" + text_at(place) + "\"");
    if (chosen_.count(place.first) > 0) return cost;
    return cost + request_.count("[" + std::to_string(request_.number_of(place.first)) + "]\n");
  }

  [[nodiscard]] bool is_chosen(const SentencePlace& place) const {
    const auto of_turn = chosen_.find(place.first);
    return of_turn != chosen_.end() && of_turn->second.count(place.second) > 0;
  }

  void choose(const SentencePlace& place) {
    if (said_.count(text_at(place)) > 0) return;
    const auto cost = cost_of(place);
    if (used_ + cost > request_.limit) return;
    used_ += cost;
    said_.insert(text_at(place));
    chosen_[place.first].insert(place.second);
  }

  void choose_neighbours(const SentencePlace& place, std::size_t longest) {
    const auto [first, last] = on_its_line(sentences_.of(place.first), place.second, longest);
    for (std::size_t i = first; i < last; ++i) choose({place.first, i});
  }

  const UserSentences& sentences_;
  const UserWordsRequest& request_;
  std::map<std::size_t, std::set<std::size_t>> chosen_{};
  std::set<std::string_view> said_{};  // A sentence that is said again and again stands once, where it was said last.
  std::int64_t used_ = 0;
};

}  // namespace

void UserSentences::extend(const std::vector<ConversationMessage>& messages) {
  for (std::size_t i = sentences_.size(); i < messages.size(); ++i) {
    std::vector<Sentence> sentences;
    if (messages[i].role == Role::user) sentences = read_turn(text_of(messages[i]));
    may_be_pasted_.push_back(messages[i].role == Role::user && may_hold_pasted_text(text_of(messages[i])));
    for (const auto& sentence : sentences) bytes_ += sentence.text.size() + sizeof(Sentence);
    sentences_.push_back(std::move(sentences));
  }
}

std::vector<std::string> rules_of(const std::vector<UserSentences::Sentence>& turn) {
  std::vector<std::string> rules;
  for (std::size_t i = 0; i < turn.size(); ++i) {
    if (!turn[i].instructs) continue;
    const auto [first, last] = on_its_line(turn, i, short_sentence);
    auto& rule = rules.emplace_back(turn[first].text);
    for (auto k = first + 1; k < last; ++k) rule += " " + turn[k].text;
  }
  return rules;
}

QuotedWords quote_user_words(const UserSentences& sentences, const UserWordsRequest& request) {
  Quoting quoting(sentences, request);
  quoting.choose_rules();
  quoting.choose_orders();
  if (!request.only_rules) quoting.choose_more();
  return quoting.words();
}

}  // namespace ctxmgr::engine
