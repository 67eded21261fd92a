#include "engine/summaries/no_summary.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "core/ascii.hpp"
#include "core/utf8.hpp"
#include "core/worded.hpp"
#include "engine/history/instructions.hpp"
#include "engine/index/term_analysis.hpp"
#include "engine/structure/case_folding.hpp"
#include "engine/structure/plain_line.hpp"
#include "engine/structure/sentences.hpp"
#include "engine/words/asking.hpp"

namespace ctxmgr::engine {
namespace {

/// Of the words of a summary, so many stand in its source: true ones of one sentence each have 0.22 and more.
constexpr double least_shared = 0.2;
constexpr std::size_t least_terms = 8;  // Of fewer, a share says little.

/// The same of a sentence that says what the user wants.
constexpr double least_shared_of_order = 1.0 / 3;

/// Letters and digits alone, case aside.
std::string squeezed(std::string_view text) {
  std::string out;
  const auto folded = fold_case(text);
  for (std::size_t at = 0; at < folded.size();) {
    const auto point = utf8::decode(folded, at);
    at += point.bytes;
    const auto kind = utf8proc_category(static_cast<utf8proc_int32_t>(point.value));
    if (kind <= UTF8PROC_CATEGORY_NO && kind >= UTF8PROC_CATEGORY_LU) utf8::append(out, point.value);
  }
  return out;
}

/// "Hello!", "你好，": a greeting, and not "Hello World".
bool greets(std::string_view summary) {
  constexpr std::array<std::string_view, 28> greetings{
      "hello",     "hi",      "hey",   "greetings", "welcome", "good morning", "hallo",
      "guten tag", "bonjour", "salut", "hola",      "olá",     "ciao",         "buongiorno",
      "hej",       "cześć",   "ahoj",  "merhaba",   "привет",  "здравствуйте", "привіт",
      "γεια",      "नमस्ते",    "مرحبا", "xin chào",  "สวัสดี",    "안녕하세요",   "こんにちは"};
  constexpr std::array<std::string_view, 3> without_blanks{"你好", "您好", "大家好"};
  const auto text = fold_case(summary.substr(0, 80));
  const auto begins = [&text](std::string_view word) { return text.compare(0, word.size(), word) == 0; };
  if (std::any_of(without_blanks.begin(), without_blanks.end(), begins)) return true;
  return std::any_of(greetings.begin(), greetings.end(), [&](std::string_view word) {
    const auto mark = text.find_first_not_of(' ', word.size());
    return begins(word) && mark != std::string::npos && !ascii::is_letter(text[mark]) && !ascii::is_digit(text[mark]) &&
           std::string_view("/-_.'").find(text[mark]) == std::string_view::npos;
  });
}

bool speaks_of_user(std::string_view sentence) {
  constexpr std::array<std::string_view, 22> words{
      "user",      "nutzer",      "anwender",   "utilisat",  "usuari",     "usuári", "utente", "gebruiker",
      "użytkown",  "пользовател", "користувач", "用户",      "用戶",       "ユーザ", "사용자", "المستخدم",
      "kullanıcı", "utilizator",  "χρήστη",     "उपयोगकर्ता", "người dùng", "ผู้ใช้"};
  const auto text = fold_case(sentence);
  return std::any_of(words.begin(), words.end(),
                     [&text](std::string_view word) { return text.find(word) != std::string::npos; });
}

/// What a source says, ready to be asked.
class SourceWords {
 public:
  explicit SourceWords(std::string_view source) : language_(detect_language(source)), squeezed_(squeezed(source)) {
    std::vector<TermOccurrence> terms;
    analyzer_.analyze(source, language_, 0, terms);
    for (const auto& occurrence : terms) terms_.insert(occurrence.term);
  }

  [[nodiscard]] bool has(std::string_view sentence) const {
    return squeezed_.find(squeezed(sentence)) != std::string::npos;
  }

  /// Whether at least this share of the words stands in it. Of fewer than `enough` words nobody knows.
  [[nodiscard]] bool shares(std::string_view text, double least, std::size_t enough) {
    std::vector<TermOccurrence> occurrences;
    analyzer_.analyze(text, language_, 0, occurrences);
    std::unordered_set<Term> terms;
    for (const auto& one : occurrences)
      if ((one.flags & (term_function | term_number)) == 0) terms.insert(one.term);
    if (terms.size() < enough) return true;
    const auto shared = std::count_if(terms.begin(), terms.end(), [this](Term term) { return terms_.count(term) > 0; });
    return static_cast<double>(shared) >= least * static_cast<double>(terms.size());
  }

 private:
  Language language_;
  std::string squeezed_;
  TermAnalyzer analyzer_;
  std::unordered_set<Term> terms_;
};

/// A question that a label introduces, as "open: which port?", is told, not asked.
bool asks_reader(std::string_view sentence) {
  return has_question_mark(sentence) && sentence.find(':') == std::string_view::npos;
}

}  // namespace

std::string why_no_summary(std::string_view summary, std::string_view source, bool in_its_language) {
  if (greets(summary)) return "it greets";
  SourceWords said(source);
  const auto sentences = sentences_of(summary, SentenceUse::parts);
  const auto is_said = [&said](std::string_view sentence) { return said.has(sentence); };
  if (!sentences.empty() && asks_reader(sentences.back()) && !is_said(sentences.back())) return "it asks back";
  for (const auto sentence : sentences) {
    constexpr std::size_t longest_shown = 60;
    const bool is_order = instructs(sentence) || (wants_politely(sentence) && !speaks_of_user(sentence));
    if (is_order && !is_said(sentence))
      return worded("it gives an order that its text does not: \"{}\"", plain_line(sentence, longest_shown));
    if (in_its_language && speaks_of_user(sentence) && !said.shares(sentence, least_shared_of_order, 3))
      return worded("its text does not say of the user: \"{}\"", plain_line(sentence, longest_shown));
  }
  if (in_its_language && !said.shares(summary, least_shared, least_terms)) return "it says next to nothing of its text";
  return {};
}

}  // namespace ctxmgr::engine
