#include "engine/selection/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/utf8.hpp"
#include "engine/selection/atom_match.hpp"

namespace ctxmgr::engine {
namespace {

// Where no place has more than two thirds of a question, the answer may say it in other words: then what is left of the
// room goes to texts that nothing speaks for.
constexpr double mostly_open = 1.0 / 3;
constexpr double least_relevance = 1e-4;  ///< Of those: they come after all others.

// However long the best texts are, so many are looked at: a log of megabytes does not hide the page that answers.
constexpr std::size_t least_candidates = 8;

// Items by relevance, the best first and the newest among equals, sorted only as far as they are asked for.
class ByRelevance {
 public:
  explicit ByRelevance(const std::vector<double>& relevance) : less_{relevance}, heap_(relevance.size()) {
    std::iota(heap_.begin(), heap_.end(), 0);
    std::make_heap(heap_.begin(), heap_.end(), less_);
  }

  bool empty() const { return heap_.empty(); }

  std::size_t next() {
    std::pop_heap(heap_.begin(), heap_.end(), less_);
    const std::size_t item = heap_.back();
    heap_.pop_back();
    return item;
  }

 private:
  struct Less {
    const std::vector<double>& relevance;
    bool operator()(std::size_t a, std::size_t b) const {
      return relevance[a] != relevance[b] ? relevance[a] < relevance[b] : a < b;
    }
  };
  Less less_;
  std::vector<std::size_t> heap_;
};

// Whether an atom comes with what it is around, and says nothing by itself.
bool is_idle(const ItemAnalysis& item, std::size_t a) { return is_frame(item, item.atoms[a]) || !item.has_words(a); }

bool is_only_frames(const ItemAnalysis& item) {
  for (std::size_t a = 0; a < item.atoms.size(); ++a)
    if (!is_idle(item, a)) return false;
  return true;
}

// What the worth of an atom is multiplied by.
double times_of(const AtomMatch& match, std::size_t a, double role, const SelectionWeights& w) {
  if (match.reports[a] != 0) return w.reports;
  return match.routine[a] != 0 ? 0 : role;
}

// Where nothing matches, what stands first in a text says what it is about, and the last line of a result how it ended, which
// is worth what a report is; what goes on is as good as what is short.
void set_leads(Candidate& candidate, const AtomMatch& match, const SelectionWeights& w) {
  const ItemAnalysis& item = *candidate.analysis;
  const bool all = is_only_frames(item);
  std::size_t chunk = 0;
  for (std::size_t a = 0; a < item.atoms.size(); ++a) {
    const Atom& atom = item.atoms[a];
    if (item.chunks[chunk].last_atom <= a) ++chunk;
    const auto length = utf8::count_code_points(candidate.text.substr(atom.begin, atom.end - atom.begin)) + 1;
    const bool ends = item.speaker == Speaker::tool && a + 1 == item.atoms.size();
    const double lead = match.reports[a] != 0 ? 1 : ends ? w.reports : 1 / static_cast<double>(1 + chunk);
    // What stands in the record of a report of JSON counts with it.
    const double worth = std::max(times_of(match, a, 1, w) * lead, w.reports * match.all[a]);
    candidate.gain.push_back(all || !is_idle(item, a) ? static_cast<double>(length) * worth : 0);
  }
}

// Sets what each atom of a candidate is worth: how relevant the item and the passage are, how much of the query the atom
// has, and how long it is.
void set_gains(Candidate& candidate, const double* passage, const AtomMatch& match, bool fills,
               const SelectionWeights& w) {
  const ItemAnalysis& item = *candidate.analysis;
  const std::string_view text = candidate.text;
  const bool names = item.speaker == Speaker::tool && !candidate.superseded;
  const double role = item.speaker == Speaker::assistant && !item.short_turn ? w.assistant : 1;
  const bool only_frames = is_only_frames(item);
  std::size_t chunk = 0;
  for (std::size_t a = 0; a < item.atoms.size(); ++a) {
    const Atom& atom = item.atoms[a];
    if (item.chunks[chunk].last_atom <= a) ++chunk;
    const double share = match.reports[a] != 0 ? 1 : match.all[a];
    const double times = times_of(match, a, role, w);
    // What has most of the query is as good as the best passage, wherever it stands.
    const double own = share < w.least ? 0 : share;
    const bool is_for_itself = is_list(item) || item.format == ContentFormat::json;
    const double place = std::max(is_for_itself ? w.passage * passage[chunk] : passage[chunk], own);
    const double length =
        static_cast<double>(utf8::count_code_points(text.substr(atom.begin, atom.end - atom.begin))) + 1;
    const double size = std::pow(length, 1 - w.rho);
    const double q = w.q0 + (1 - w.q0) * share;
    const double relevant = std::max(candidate.relevance * place, match.named[a]);
    const double worth = relevant < w.least && !fills ? 0 : std::pow(relevant, w.gamma);
    candidate.gain.push_back(is_idle(item, a) && !only_frames ? 0 : times * worth * q * size);
    if (names)
      candidate.name_gain.push_back(times * w.ident * share *
                                    std::pow(candidate.relevance * passage[chunk], w.ident_gamma));
  }
}

// Of each item, whether its title has a word of the question that no other title has.
std::vector<char> named_by_title(const Corpus& corpus, const Query& query) {
  std::vector<char> named(corpus.items(), 0);
  std::unordered_map<Term, std::pair<std::size_t, std::size_t>> titles;  // The last that has it, and how many do.
  for (const QueryTerm& term : query.asked()) titles[term.term] = {0, 0};
  for (const std::size_t i : corpus.titled())
    for (const Term term : corpus.item(i).title)
      if (const auto at = titles.find(term); at != titles.end()) at->second = {i, at->second.second + 1};
  for (const auto& [term, title] : titles)
    if (title.second == 1) named[title.first] = 1;
  return named;
}

// The rows of a table that the question names say together what it asks: they count as the best, but for an eighth that
// orders them.
void share_in_rows(const ItemAnalysis& item, std::vector<double>& match) {
  for (std::size_t a = 0; a < match.size(); ++a)
    if (item.atoms[a].kind == AtomKind::row) match[a] += 7 * (1 - match[a]) / 8;
}

// A line of a tool's result may be asked for by name, whatever the rest of the result is about.
void set_named(const std::vector<Candidate>& candidates, std::vector<AtomMatch>& matches) {
  double best = 0;
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (candidates[c].analysis->speaker == Speaker::tool) best = std::max(best, best_match(matches[c].asked));
  for (std::size_t c = 0; c < candidates.size() && best > 0; ++c)
    if (candidates[c].analysis->speaker == Speaker::tool)
      for (std::size_t a = 0; a < matches[c].named.size(); ++a) matches[c].named[a] = matches[c].asked[a] / best;
}

}  // namespace

std::vector<Candidate> candidates_of(const Corpus& corpus, const Query& query, const Relevance& relevance,
                                     std::int64_t budget_tokens, const SelectionWeights& w) {
  std::vector<Candidate> candidates;
  std::vector<AtomMatch> matches;
  std::size_t bytes = 0;
  const std::size_t enough = 24 * static_cast<std::size_t>(budget_tokens) + 8000;
  const bool fills = w.fills && query.open() > mostly_open;
  const std::vector<char> named = named_by_title(corpus, query);
  const bool any = std::any_of(relevance.item.begin(), relevance.item.end(), [](double r) { return r > 0; });
  for (ByRelevance order(relevance.item);
       !order.empty() && (bytes <= enough || candidates.size() < least_candidates);) {
    const std::size_t i = order.next();
    if (any && !fills && relevance.item[i] < w.least) break;
    const ItemAnalysis& item = corpus.item(i);
    if (item.atoms.empty() || corpus.is_silent(i)) continue;
    Candidate candidate{i, &item, corpus.text(i), corpus.header(i), std::max(relevance.item[i], least_relevance)};
    if (corpus.joins_before(i)) candidate.joins = i - 1;
    bytes += candidate.text.size();
    candidates.push_back(std::move(candidate));
    matches.push_back(match_item(item, candidates.back().text, query, budget_tokens, w));
    if (named[i] != 0) share_in_rows(item, matches.back().all);
    if (w.superseded >= 1 || !corpus.superseded(i)) continue;
    candidates.back().superseded = true;
    candidates.back().relevance *= w.superseded;
    std::fill(matches.back().asked.begin(), matches.back().asked.end(), 0);
  }
  set_named(candidates, matches);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    Candidate& candidate = candidates[c];
    const double* passage = relevance.passage.data() + corpus.first_chunk(candidate.item);
    if (any)
      set_gains(candidate, passage, matches[c], fills, w);
    else
      set_leads(candidate, matches[c], w);
  }
  return candidates;
}

}  // namespace ctxmgr::engine
