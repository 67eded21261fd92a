#include "engine/selection/query.hpp"

#include <algorithm>
#include <optional>

#include "core/utf8.hpp"

namespace ctxmgr::engine {
namespace {

// Bytes of a hint that are read: what a turn is about, it says before that, and a pasted file costs no time.
constexpr std::size_t longest_hint = 8192;

// Distinct content terms of a text with their values; all of its terms where it has none but function words.
std::vector<QueryTerm> content_terms(const Corpus& corpus, std::string_view text, const SelectionWeights& w,
                                     TermAnalyzer& analyzer) {
  std::vector<TermOccurrence> found;
  // A question is often too short to show its language: then it has that of the texts.
  const std::optional<Language> recognized = recognize_language(text);
  analyzer.analyze(text, recognized ? *recognized : corpus.language(), 0, found);
  const bool all_function =
      std::all_of(found.begin(), found.end(), [](const TermOccurrence& o) { return (o.flags & term_function) != 0; });
  std::vector<QueryTerm> terms;
  std::unordered_map<Term, std::size_t> position;
  for (const TermOccurrence& occurrence : found) {
    if (!all_function && (occurrence.flags & term_function) != 0) continue;
    const double weight = (occurrence.flags & term_part) != 0 ? w.part : 1.0;
    const auto [at, fresh] = position.try_emplace(occurrence.term, terms.size());
    if (fresh)
      terms.push_back({occurrence.term, weight});
    else
      terms[at->second].value = std::max(terms[at->second].value, weight);
  }
  for (QueryTerm& term : terms) term.value *= corpus.idf(term.term);
  return terms;
}

}  // namespace

Query::Query(const Corpus& corpus, std::string_view text, const std::vector<std::string>& hints,
             const SelectionWeights& w) {
  TermAnalyzer analyzer;
  for (const QueryTerm& term : content_terms(corpus, text, w, analyzer)) add(term.term, term.value);
  asked_ = terms_;
  const double direct = total_;
  double share = w.hint;
  for (const std::string& hint : hints) {
    const std::string_view start = std::string_view(hint).substr(0, utf8::floor_boundary(hint, longest_hint));
    const std::vector<QueryTerm> terms = content_terms(corpus, start, w, analyzer);
    double sum = 0;
    for (const QueryTerm& term : terms) sum += term.value;
    const double scale = sum > 0 ? std::min(w.hint_cap, share * direct / sum) : 0;
    for (const QueryTerm& term : terms) {
      const double old = value_of(term.term);
      if (term.value * scale > old) add(term.term, term.value * scale - old);
    }
    share *= w.hint_decay;
    if (share < 0.01) break;
  }
}

double Query::value_of(Term term) const {
  const auto found = position_.find(term);
  return found == position_.end() ? 0 : terms_[found->second].value;
}

void Query::add(Term term, double value) {
  if (value <= 0) return;
  const auto [at, fresh] = position_.try_emplace(term, terms_.size());
  if (fresh)
    terms_.push_back({term, value});
  else
    terms_[at->second].value += value;
  total_ += value;
}

}  // namespace ctxmgr::engine
