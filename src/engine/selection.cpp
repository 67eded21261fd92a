#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/utf8.hpp"
#include "engine/allocation.hpp"
#include "engine/relevance.hpp"
#include "engine/selection_internal.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_reported_items = 4096;

std::vector<std::size_t> by_relevance(const std::vector<double>& item) {
  std::vector<std::size_t> order(item.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&item](std::size_t a, std::size_t b) { return item[a] != item[b] ? item[a] > item[b] : a > b; });
  return order;
}

// What each atom of an item is worth: how relevant the item is, how much of the query the atom has, and how long it is.
std::vector<double> gains(std::string_view text, const ItemAnalysis& item, double relevance, const Query& query,
                          const SelectionWeights& w) {
  const std::vector<double> match = match_atoms(item, query);
  const double best = match.empty() ? 0 : *std::max_element(match.begin(), match.end());
  const double r = std::pow(relevance, w.gamma);
  std::vector<double> gain(match.size(), 0);
  for (std::size_t a = 0; a < gain.size(); ++a) {
    const Atom& atom = item.atoms[a];
    const double length =
        static_cast<double>(utf8::count_code_points(text.substr(atom.begin, atom.end - atom.begin))) + 1;
    double q = w.q0 + (1 - w.q0) * (best > 0 ? match[a] / best : 0);
    if (a == 0) q += w.lead;
    gain[a] = (r + 1e-9) * q * std::pow(length, 1 - w.rho);
  }
  return gain;
}

std::vector<Candidate> candidates_of(const Corpus& corpus, const Query& query, const Relevance& relevance,
                                     std::int64_t budget_tokens, const SelectionWeights& w) {
  std::vector<Candidate> candidates;
  std::size_t bytes = 0;
  const std::size_t enough = 24 * static_cast<std::size_t>(std::max<std::int64_t>(budget_tokens, 0)) + 8000;
  for (const std::size_t i : by_relevance(relevance.item)) {
    if (bytes > enough) break;
    const ItemAnalysis& item = corpus.item(i);
    if (item.atoms.empty()) continue;
    Candidate candidate{i, &item, corpus.text(i), corpus.header(i), relevance.item[i], {}, 0};
    if (item.speaker == Speaker::tool) candidate.name_gain = w.ident * std::pow(relevance.item[i], w.ident_gamma);
    candidate.gain = gains(candidate.text, item, candidate.relevance, query, w);
    bytes += candidate.text.size();
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace

Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request, const TokenCounter& counter,
                 const SelectionWeights& w) {
  const Corpus corpus(slices);
  Query query(corpus, request.query, request.hints, w);
  const Relevance relevance = score(corpus, query, w);
  const std::vector<Candidate> candidates = candidates_of(corpus, query, relevance, request.budget_tokens, w);
  Allocation allocation =
      allocate(candidates, {request.budget_tokens, request.overhead_tokens, request.separator}, counter);
  Selection result;
  result.tokens = allocation.tokens;
  for (Allotment& allotment : allocation.chosen) {
    const Candidate& candidate = candidates[allotment.candidate];
    SelectedText chosen;
    chosen.index = candidate.item;
    chosen.view = allotment.whole ? ArtifactView::full : ArtifactView::extract;
    chosen.text = std::move(allotment.rendered.text);
    chosen.spans = std::move(allotment.rendered.spans);
    chosen.tokens = counter.count(chosen.text);
    chosen.relevance = candidate.relevance;
    chosen.reason = allotment.whole ? "relevant, whole" : "relevant passages";
    result.chosen.push_back(std::move(chosen));
  }
  if (corpus.items() <= most_reported_items) result.relevance = relevance.item;
  return result;
}

Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request, const TokenCounter& counter) {
  return select(slices, request, counter, SelectionWeights{});
}

std::vector<RankedArtifact> rank(const std::vector<IndexSlice>& slices, std::string_view text,
                                 const std::vector<std::string>& hints, std::size_t max_hits) {
  const SelectionWeights weights;
  const Corpus corpus(slices);
  Query query(corpus, text, hints, weights);
  const Relevance relevance = score(corpus, query, weights);
  std::vector<RankedArtifact> ranked(corpus.items());
  double best = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const ItemAnalysis& item = corpus.item(i);
    ranked[i].relevance = relevance.item[i];
    const std::vector<double> match = match_atoms(item, query);
    for (std::size_t a = 0; a < match.size(); ++a) {
      best = std::max(best, match[a]);
      if (match[a] > 0)
        ranked[i].hits.push_back({{item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin}, match[a]});
    }
    std::stable_sort(ranked[i].hits.begin(), ranked[i].hits.end(),
                     [](const RetrievalHit& a, const RetrievalHit& b) { return a.score > b.score; });
    if (ranked[i].hits.size() > max_hits) ranked[i].hits.resize(max_hits);
  }
  for (RankedArtifact& artifact : ranked)
    for (RetrievalHit& hit : artifact.hits) hit.score /= best;
  return ranked;
}

std::vector<double> focus_match(const TextIndex& index, std::string_view text) {
  const std::vector<IndexSlice> slices{{&index, 0, index.size(), {}, {}}};
  const Corpus corpus(slices);
  const Query query(corpus, text, {}, SelectionWeights{});
  std::vector<double> match = match_atoms(index.item(0), query);
  const double best = match.empty() ? 0 : *std::max_element(match.begin(), match.end());
  if (best > 0)
    for (double& m : match) m /= best;
  return match;
}

}  // namespace ctxmgr::engine
