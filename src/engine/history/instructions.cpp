#include "engine/history/instructions.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <utility>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "engine/structure/case_folding.hpp"
#include "engine/structure/lexicon.hpp"
#include "engine/structure/sentences.hpp"

namespace ctxmgr::engine {
namespace {

bool is_letter_or_digit(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND: return true;
    default: return c == U'\u200D' || c == U'\u200C';  // joiners of Indic scripts
  }
}

bool is_blank_code_point(char32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == U'\u00A0' || c == U'\u3000';
}

bool is_thai(char32_t c) { return c >= 0x0E00 && c <= 0x0E7F; }

/// One spelling for characters that are written in several ways: 0 for those that are left out.
char32_t plain_letter(char32_t c) {
  if ((c >= 0x064B && c <= 0x0652) || c == 0x0640 || c == 0x0307) return 0;  // Arabic vowels, tatweel, dot of I
  switch (c) {
    case 0x0623:
    case 0x0625:
    case 0x0622: return 0x0627;  // alef
    case 0x015F: return 0x0219;  // Romanian s and t with a cedilla; Turkish has the former, too
    case 0x0163: return 0x021B;
    case 0x03C2: return 0x03C3;  // final sigma
    case 0x2019:
    case 0x02BC: return '\'';
    default: return c;
  }
}

/// A sentence as clauses of plain words, each word with a blank before it and one after the last.
struct PlainWords {
  std::vector<std::string> clauses{};
  std::string all{};  ///< Without the clauses' bounds.
};

PlainWords plain_words(std::string_view sentence) {
  PlainWords words;
  std::string clause(" ");
  const auto close = [&] {
    if (clause.size() > 1) words.clauses.push_back(clause);
    clause = " ";
  };
  const auto text = fold_case(sentence);
  char32_t last = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto point = utf8::decode(text, at);
    at += point.bytes;
    const char32_t c = plain_letter(point.value);
    if (c == 0) continue;
    const char32_t before = std::exchange(last, c);
    const bool joins = (c == '\'' || c == '-') && clause.back() != ' ' && at < text.size() &&
                       is_letter_or_digit(utf8::decode(text, at).value);
    if (is_letter_or_digit(c) || joins) {
      utf8::append(clause, c);
    } else if (is_blank_code_point(c)) {
      if (clause.back() != ' ') clause += ' ';
      if (is_thai(before)) close();  // a blank there is what a comma is elsewhere
    } else {
      if (clause.back() != ' ') clause += ' ';
      close();
    }
  }
  if (clause.back() != ' ') clause += ' ';
  close();
  words.all = " ";
  for (const auto& one : words.clauses) words.all += one.substr(1);
  return words;
}

/// A phrase as the words of a sentence are written.
std::string plain_phrase(std::string_view phrase) {
  std::string out;
  for (std::size_t at = 0; at < phrase.size();) {
    const auto point = utf8::decode(phrase, at);
    at += point.bytes;
    if (const char32_t c = plain_letter(point.value); c != 0) utf8::append(out, c);
  }
  return out;
}

using Phrases = std::vector<std::string>;

/// The lists of a language that tell rules from what is said, as the words of a sentence are written.
struct RuleWords {
  bool has_blanks = true;
  bool verb_is_last = false;
  std::array<Phrases, word_list_count> lists{};

  [[nodiscard]] Phrases& of(WordList list) { return lists[static_cast<std::size_t>(list)]; }
  [[nodiscard]] const Phrases& of(WordList list) const { return lists[static_cast<std::size_t>(list)]; }
};

/// Where nobody wrote down how a language speaks of others: of its grammar, what begins no rule begins what is said of others.
void use_general_lists(RuleWords& words) {
  words.of(WordList::begins_a_rule) = words.of(WordList::always);
  words.of(WordList::before_a_rule) = words.of(WordList::polite);
  auto& told = words.of(WordList::told);
  told.insert(told.end(), words.of(WordList::requests).begin(), words.of(WordList::requests).end());
  const auto begins = [&words](WordList list, const std::string& word) {
    return std::any_of(words.of(list).begin(), words.of(list).end(), [&word](const std::string& phrase) {
      return phrase == word || phrase.compare(0, word.size() + 1, word + ' ') == 0;
    });
  };
  for (const auto& word : words.of(WordList::grammar))
    if (!begins(WordList::from_now_on, word) && !begins(WordList::always, word) && !begins(WordList::told, word))
      words.of(WordList::of_others).push_back(word);
}

std::vector<RuleWords> rule_words() {
  std::vector<RuleWords> languages;
  for (const auto& language : all_languages()) {
    auto& words = languages.emplace_back(RuleWords{language.has_blanks, language.verb_is_last});
    for (std::size_t l = 0; l < word_list_count; ++l)
      for (const auto word : language.lists[l]) words.lists[l].push_back(plain_phrase(word));
    if (words.of(WordList::of_others).empty()) use_general_lists(words);
  }
  return languages;
}

/// Which two bytes stand side by side in a text. Of thousands of phrases nearly all are found missing by their first pairs.
class BytePairs {
 public:
  explicit BytePairs(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) pairs_.set(place(text[i - 1], text[i]));
  }

  /// False: the phrase is not in the text. Pairs with a blank or a sign of the phrase are not looked at.
  [[nodiscard]] bool may_have(std::string_view phrase) const {
    for (std::size_t i = 1; i < phrase.size(); ++i)
      if (!is_sign(phrase[i - 1]) && !is_sign(phrase[i]) && !pairs_.test(place(phrase[i - 1], phrase[i]))) return false;
    return true;
  }

 private:
  static constexpr std::size_t places = 4096;

  static bool is_sign(char c) { return c == ' ' || c == '*'; }
  static std::size_t place(char a, char b) {
    return (static_cast<unsigned char>(a) * 31U + static_cast<unsigned char>(b)) % places;
  }

  std::bitset<places> pairs_{};
};

bool is_plain_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return (c & '\x80') != 0; });
}

/// Matches one language's phrases in a sentence whose pairs are given.
class Matcher {
 public:
  Matcher(const RuleWords& words, const BytePairs& pairs) : words_(words), pairs_(pairs) {}

  [[nodiscard]] bool instructs(const PlainWords& words) const {
    if (has_any(words.all, WordList::instructs)) return true;
    if (has_any(words.all, WordList::reports)) return false;
    if (has_any(words.all, WordList::binds)) return true;
    Sentence sentence;
    sentence.lasts = has_any(words.all, WordList::always);
    return std::any_of(words.clauses.begin(), words.clauses.end(),
                       [&](const std::string& clause) { return clause_instructs(clause, sentence); });
  }

  /// Endings of a few letters are those of words of other languages, too: "me".
  [[nodiscard]] bool orders(const PlainWords& words) const {
    return std::any_of(words.clauses.begin(), words.clauses.end(), [&](const std::string& clause) {
      const auto rest = behind(clause, {WordList::before_a_rule, WordList::from_now_on}).text;
      return begins_with_any(rest, WordList::told) || begins_with_any(rest, WordList::takes_back) ||
             (words_.verb_is_last && !is_plain_ascii(rest) && has_imperative_ending(rest));
    });
  }

  [[nodiscard]] bool only_introduces(const PlainWords& words) const {
    return std::all_of(words.clauses.begin(), words.clauses.end(), [&](const std::string& clause) {
      return behind(clause, {WordList::before_a_rule, WordList::from_now_on, WordList::always}).is_empty();
    });
  }

 private:
  /// What the clauses before one say about it.
  struct Sentence {
    bool lasts = false;          ///< Some clause says "always" or the like.
    bool standing = false;       ///< One said no more than "from now on".
    bool of_others = false;      ///< One was about somebody else.
    bool has_condition = false;  ///< One said when what follows holds.
  };

  /// What is left of a clause behind phrases of some lists.
  struct Rest {
    std::string text{};
    std::bitset<word_list_count> taken{};  ///< The lists that had such a phrase.

    [[nodiscard]] bool is_empty() const { return text.find_first_not_of(' ') == std::string::npos; }
    [[nodiscard]] bool has(WordList list) const { return taken.test(static_cast<std::size_t>(list)); }
  };

  [[nodiscard]] Rest behind(std::string clause, std::initializer_list<WordList> lists) const {
    Rest rest{std::move(clause)};
    const auto takes = [&](WordList list) {
      if (!take(rest.text, list)) return false;
      rest.taken.set(static_cast<std::size_t>(list));
      return true;
    };
    while (std::any_of(lists.begin(), lists.end(), takes)) {
    }
    return rest;
  }

  [[nodiscard]] bool clause_instructs(const std::string& clause, Sentence& sentence) const {
    if (has_any(clause, WordList::asks_without_a_mark)) return false;
    const auto taken = behind(clause, {WordList::before_a_rule, WordList::from_now_on, WordList::so});
    const auto& rest = taken.text;
    sentence.standing = sentence.standing || taken.has(WordList::from_now_on);
    if (taken.is_empty()) return false;
    if (states_condition(rest)) sentence.has_condition = true;
    if (begins_with_any(rest, WordList::first_person)) return verb_last_instructs(rest, sentence);
    if (begins_with_any(rest, WordList::of_others)) {
      sentence.of_others = true;
      return verb_last_instructs(rest, sentence);
    }
    if (begins_with_any(rest, WordList::takes_back) || verb_last_instructs(rest, sentence)) return true;
    if (sentence.standing || has_any(rest, WordList::from_now_on))
      return !ends_with_any_of(rest, WordList::tells_at_the_end);
    std::string after = rest;
    if (!sentence.of_others && take(after, WordList::begins_a_rule) && !begins_with_any(after, WordList::of_others))
      return true;
    if (!sentence.lasts && !taken.has(WordList::so) && !sentence.has_condition) return false;
    return begins_with_any(rest, WordList::told) || has_imperative_ending(rest) ||
           (sentence.lasts && has_any(clause, WordList::duties));
  }

  /// "If a file is missing", but not "if you can", by which people ask for one thing now.
  [[nodiscard]] bool states_condition(const std::string& clause) const {
    std::string after = clause;
    return take(after, WordList::conditions) && begins_with_any(after, WordList::of_others);
  }

  /// Where the verb comes last, who the clause begins with does not matter.
  [[nodiscard]] bool verb_last_instructs(const std::string& clause, const Sentence& sentence) const {
    if (ends_with_any_of(clause, WordList::ends_a_rule)) return true;
    return words_.verb_is_last && sentence.lasts && has_imperative_ending(clause);
  }

  template <class Holds>
  [[nodiscard]] bool any_of(WordList list, Holds holds) const {
    return std::any_of(words_.of(list).begin(), words_.of(list).end(), holds);
  }

  [[nodiscard]] bool ends_with_any_of(const std::string& text, WordList list) const {
    return any_of(list, [&](const std::string& phrase) {
      if (!pairs_.may_have(phrase)) return false;
      const auto ending = (phrase[0] == '*' ? phrase.substr(1) : " " + phrase) + " ";
      return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
    });
  }

  [[nodiscard]] bool has(const std::string& text, const std::string& phrase) const {
    if (!pairs_.may_have(phrase)) return false;
    std::size_t from = 0;
    for (std::size_t begin = 0; begin < phrase.size();) {
      const auto gap = phrase.find(" * ", begin);
      std::string part = phrase.substr(begin, gap == std::string::npos ? gap : gap - begin);
      begin = gap == std::string::npos ? phrase.size() : gap + 3;
      if (words_.has_blanks) {
        if (part[0] == '*')
          part.erase(0, 1);
        else
          part.insert(0, 1, ' ');
        part += ' ';
      }
      const auto at = text.find(part, from);
      if (at == std::string::npos) return false;
      from = at + part.size() - (words_.has_blanks ? 1 : 0);
    }
    return true;
  }

  [[nodiscard]] bool has_any(const std::string& text, WordList list) const {
    return any_of(list, [&](const std::string& phrase) { return has(text, phrase); });
  }

  [[nodiscard]] bool begins_with(const std::string& text, const std::string& phrase) const {
    if (!pairs_.may_have(phrase)) return false;
    std::string wanted = " " + phrase;
    if (phrase.back() == '*')
      wanted.pop_back();
    else if (words_.has_blanks)
      wanted += ' ';
    return text.compare(0, wanted.size(), wanted) == 0;
  }

  [[nodiscard]] bool begins_with_any(const std::string& text, WordList list) const {
    return any_of(list, [&](const std::string& phrase) { return begins_with(text, phrase); });
  }

  [[nodiscard]] bool has_imperative_ending(const std::string& text) const {
    if (words_.of(WordList::told_at_the_end).empty()) return false;
    std::string words = text;
    if (words_.verb_is_last) words = text.substr(text.rfind(' ', text.size() - 2));
    return has_any(words, WordList::told_at_the_end);
  }

  /// Takes the longest of these phrases from the beginning.
  bool take(std::string& text, WordList list) const {
    std::size_t longest = 0;
    for (const auto& phrase : words_.of(list))
      if (begins_with(text, phrase)) longest = std::max(longest, phrase.size());
    if (longest == 0) return false;
    text = text.substr(longest + 1);
    if (text.empty() || text[0] != ' ') text.insert(0, " ");
    return true;
  }

  const RuleWords& words_;
  const BytePairs& pairs_;
};

/// Whether it holds for a text in any language.
bool holds_in_any(std::string_view text, bool (Matcher::*holds)(const PlainWords&) const) {
  const PlainWords words = plain_words(text);
  const BytePairs pairs(words.all);
  static const auto languages = rule_words();
  return std::any_of(languages.begin(), languages.end(),
                     [&](const RuleWords& language) { return (Matcher(language, pairs).*holds)(words); });
}

/// "One more thing: the prices are in euros", "from now on: only euros".
bool begins_with_introduction(std::string_view sentence) {
  const auto narrow = sentence.find(": ");
  const auto wide = sentence.find("\uFF1A");
  const auto colon = std::min(narrow, wide);
  if (colon == std::string_view::npos) return false;
  const auto before = ascii::trimmed(sentence.substr(0, colon));
  return !before.empty() && holds_in_any(before, &Matcher::only_introduces);
}

}  // namespace

bool instructs(std::string_view sentence) {
  if (is_question(sentence)) return false;
  return begins_with_introduction(sentence) || holds_in_any(sentence, &Matcher::instructs);
}

bool orders(std::string_view sentence) { return !is_question(sentence) && holds_in_any(sentence, &Matcher::orders); }

}  // namespace ctxmgr::engine
