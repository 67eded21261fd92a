#include "engine/selection/query.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/utf8.hpp"
#include "engine/index/date_terms.hpp"
#include "engine/structure/case_folding.hpp"
#include "engine/structure/lexicon.hpp"
#include "engine/structure/sentences.hpp"

namespace ctxmgr::engine {
namespace {

// Bytes of a hint that are read, and of a question for its pairs: what a turn is about, it says before that, and a pasted
// file costs no time.
constexpr std::size_t longest_hint = 8192;

constexpr std::size_t most_words_of_little = 3;

constexpr std::size_t least_words_of_sentence = 3;  // Fewer go with the next one.
constexpr std::size_t most_sentences = 80;          // Half of them from the end.

// A question is often too short to show its language: then it has that of the texts.
Language language_of(const Corpus& corpus, std::string_view text) {
  const std::optional<Language> recognized = recognize_language(text);
  return recognized ? *recognized : corpus.language();
}

// Distinct content terms of a text with their values; all of its terms where it has none but function words.
std::vector<QueryTerm> content_terms(const Corpus& corpus, std::string_view text, TermAnalyzer& analyzer) {
  std::vector<TermOccurrence> found;
  analyzer.analyze(text, language_of(corpus, text), 0, found);
  const bool all_function =
      std::all_of(found.begin(), found.end(), [](const TermOccurrence& o) { return (o.flags & term_function) != 0; });
  std::vector<QueryTerm> terms;
  std::unordered_set<Term> known;
  for (const TermOccurrence& occurrence : found) {
    if (!all_function && (occurrence.flags & term_function) != 0) continue;
    if (!known.insert(occurrence.term).second) continue;
    terms.push_back({occurrence.term, corpus.idf(occurrence.term)});
  }
  return terms;
}

// Whether terms say what to do with a text, and nothing else.
bool is_general(const std::vector<QueryTerm>& terms, Language language, TermAnalyzer& analyzer) {
  std::vector<TermOccurrence> general;
  analyzer.analyze(joined_words_of(WordList::tasks), language, 0, general);
  const std::size_t tasks = general.size();
  analyzer.analyze(joined_words_of(WordList::texts), language, 0, general);
  bool any_task = false;
  for (const QueryTerm& term : terms) {
    const auto found =
        std::find_if(general.begin(), general.end(), [&term](const auto& word) { return word.term == term.term; });
    if (found == general.end()) return false;
    any_task = any_task || static_cast<std::size_t>(found - general.begin()) < tasks;
  }
  return any_task;
}

// Refers behind a word like "is" or "of": behind a noun it only joins a clause to it.
constexpr std::string_view joining_word = "that";

// What the best place before the question has of what is asked for, in its terms' values.
double best_coverage(const Corpus& corpus, const std::vector<QueryTerm>& asked) {
  std::vector<double> found(corpus.chunks(), 0);
  for (const QueryTerm& term : asked)
    corpus.for_each_posting(term.term, [&](std::size_t c, float) { found[c] += term.value; });
  double best = 0;
  for (std::size_t c = 0; c < found.size(); ++c)
    if (found[c] > best && !corpus.follows(corpus.item_of_chunk(c))) best = found[c];
  return best;
}

// What hints have of what is asked for, in its terms' values.
double shared_value(const std::vector<QueryTerm>& asked, const std::vector<std::vector<QueryTerm>>& hints) {
  std::unordered_set<Term> hinted;
  for (const std::vector<QueryTerm>& hint : hints)
    for (const QueryTerm& term : hint) hinted.insert(term.term);
  double shared = 0;
  for (const QueryTerm& term : asked)
    if (hinted.count(term.term) != 0) shared += term.value;
  return shared;
}

}  // namespace

std::unordered_set<Term> content_words(std::string_view text) {
  TermAnalyzer analyzer;
  std::vector<TermOccurrence> found;
  analyzer.analyze(text, recognize_language(text).value_or(Language::english), 0, found);
  std::unordered_set<Term> words;
  for (const TermOccurrence& occurrence : found)
    if ((occurrence.flags & (term_function | term_part)) == 0) words.insert(occurrence.term);
  return words;
}

bool says_little(std::string_view text) { return content_words(text).size() <= most_words_of_little; }

bool refers_back(std::string_view text) {
  if (!says_little(text)) return false;
  const auto folded = fold_case(text);
  constexpr std::string_view between = " \t\n.,;:!?'\"()";
  const auto& referring = words_of(WordList::refers_back);
  std::string_view before;
  for (std::string_view rest = folded; !rest.empty();) {
    const auto begin = std::min(rest.find_first_not_of(between), rest.size());
    const auto word = rest.substr(begin, std::min(rest.find_first_of(between, begin), rest.size()) - begin);
    if (std::find(referring.begin(), referring.end(), word) != referring.end()) return true;
    if (word == joining_word && (before.empty() || is_function_word(before, Language::english))) return true;
    before = word;
    rest.remove_prefix(begin + word.size());
  }
  return false;
}

bool is_small_talk(std::string_view text) {
  constexpr std::size_t longest = 80;
  if (text.size() > longest || text.find('?') != std::string_view::npos) return false;
  TermAnalyzer analyzer;
  const Language language = recognize_language(text).value_or(Language::english);
  std::vector<TermOccurrence> talk;
  analyzer.analyze(joined_words_of(WordList::talk), language, 0, talk);
  std::vector<TermOccurrence> found;
  analyzer.analyze(text, language, 0, found);
  return std::all_of(found.begin(), found.end(), [&talk](const TermOccurrence& o) {
    return (o.flags & (term_function | term_part)) != 0 ||
           std::any_of(talk.begin(), talk.end(), [&o](const TermOccurrence& word) { return word.term == o.term; });
  });
}

Query::Query(const Corpus& corpus, std::string_view text, const std::vector<std::string>& hints,
             const SelectionWeights& w) {
  TermAnalyzer analyzer;
  std::vector<QueryTerm> named = content_terms(corpus, text, analyzer);
  for (const Term date : date_terms_in(text)) {
    const double idf = corpus.idf(date);
    if (idf > 0) named.push_back({date, idf});  // Most texts that name days were not said on any.
  }
  const Language language = language_of(corpus, text);
  if (!is_general(named, language, analyzer))
    for (const QueryTerm& term : named) add(term);
  asked_ = terms_.list;
  add_pairs(text, language, analyzer);
  if (w.spread < 1) add_sentences(corpus, text, analyzer);
  const double covered = best_coverage(corpus, asked_);
  double unknown = 0;
  for (const QueryTerm& term : named)
    if (term.value == 0) unknown += corpus.most_idf();
  if (covered > 0) open_ = 1 - covered / (terms_.total + unknown);
  const double direct = terms_.total;
  std::vector<std::vector<QueryTerm>> hinted;
  double share = 1;
  for (const std::string& hint : hints) {
    const std::string_view start = std::string_view(hint).substr(0, utf8::floor_boundary(hint, longest_hint));
    hinted.push_back(content_terms(corpus, start, analyzer));
    share *= w.hint_decay;
    if (share < 0.01) break;
  }
  if (hinted.empty()) return;
  if (direct > 0) continues_ = std::max(direct - covered, shared_value(asked_, hinted)) / direct;
  const bool stands_alone = corpus.is_chat() && !says_little(text) && !refers_back(text);
  add_hints(hinted, direct, stands_alone ? w.hint_chat : w.hint, w);
}

void Query::add_sentences(const Corpus& corpus, std::string_view text, TermAnalyzer& analyzer) {
  const auto read = sentences_of(text);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const auto end = static_cast<std::size_t>(read[i].data() - text.data()) + read[i].size();
    auto terms = content_terms(corpus, text.substr(begin, end - begin), analyzer);
    if (terms.size() < least_words_of_sentence && i + 1 < read.size()) continue;
    begin = end;
    QuerySentence sentence{std::move(terms), 0};
    for (const QueryTerm& term : sentence.terms) sentence.total += term.value;
    if (sentence.total > 0) sentences_.push_back(std::move(sentence));
  }
  if (sentences_.size() <= most_sentences) return;
  const auto first = sentences_.begin() + most_sentences / 2;
  sentences_.erase(first, sentences_.end() - most_sentences / 2);
}

void Query::add_pairs(std::string_view text, Language language, TermAnalyzer& analyzer) {
  std::vector<TermOccurrence> found;
  analyzer.analyze(text.substr(0, utf8::floor_boundary(text, longest_hint)), language, 0, found);
  Term before = 0;
  for (const TermOccurrence& occurrence : found) {
    if ((occurrence.flags & (term_function | term_part)) != 0) continue;
    const Term first = std::exchange(before, occurrence.term);
    const double value = std::min(value_of(first), value_of(before));
    const auto is_same = [&](const WordPair& pair) { return pair.first == first && pair.second == before; };
    if (value > 0 && first != before && std::none_of(pairs_.begin(), pairs_.end(), is_same))
      pairs_.push_back({first, before, value});
  }
}

void Query::add_hints(const std::vector<std::vector<QueryTerm>>& hints, double direct, double share,
                      const SelectionWeights& w) {
  for (const std::vector<QueryTerm>& hint : hints) {
    double sum = 0;
    for (const QueryTerm& term : hint) sum += term.value;
    const double mass = direct > 0 ? direct : sum;  // A question without a known word is what its hints are.
    const double scale = sum > 0 ? std::min(1.0, share * mass / sum) : 0;
    for (const QueryTerm& term : hint) {
      const double old = terms_.value_of(term.term);
      if (term.value * scale > old) terms_.add({term.term, term.value * scale - old});
    }
    share *= w.hint_decay;
  }
}

double Query::Terms::value_of(Term term) const {
  const auto found = position.find(term);
  return found == position.end() ? 0 : list[found->second].value;
}

void Query::Terms::add(const QueryTerm& term) {
  if (term.value <= 0) return;
  const auto [at, fresh] = position.try_emplace(term.term, list.size());
  if (fresh)
    list.push_back(term);
  else
    list[at->second].value += term.value;
  total += term.value;
}

}  // namespace ctxmgr::engine
