#include "engine/relevance.hpp"

#include <algorithm>
#include <cmath>

namespace ctxmgr::engine {
namespace {

void add_bm25(const Corpus& corpus, Term term, double value, const SelectionWeights& w, std::vector<double>& scores) {
  const double average = corpus.average_length();
  corpus.for_each_posting(term, [&](std::size_t c, float frequency) {
    const std::size_t item = corpus.item_of_chunk(c);
    const double length = static_cast<double>(corpus.item(item).chunks[c - corpus.first_chunk(item)].length);
    const auto tf = static_cast<double>(frequency);
    scores[c] += value * tf * (w.k1 + 1) / (tf + w.k1 * (1 - w.b + w.b * length / average));
  });
}

std::vector<double> best_chunks(const Corpus& corpus, const std::vector<double>& chunk) {
  std::vector<double> item(corpus.items(), 0);
  for (std::size_t i = 0, c = 0; i < item.size(); ++i)
    for (const std::size_t end = corpus.first_chunk(i + 1); c < end; ++c) item[i] = std::max(item[i], chunk[c]);
  return item;
}

// In a conversation an answer spans several turns: a turn gets a share of what its neighbours have.
std::vector<double> with_neighbours(const Corpus& corpus, const std::vector<double>& item, const SelectionWeights& w) {
  std::vector<double> result = item;
  const auto range = static_cast<std::size_t>(3 * w.nbr_range);
  for (std::size_t i = 0; i < item.size(); ++i) {
    if (corpus.item(i).speaker == Speaker::document) continue;
    double sum = 0;
    double norm = 0;
    const auto take = [&](std::size_t j, std::size_t distance) {
      const double kernel = std::exp(-static_cast<double>(distance) / w.nbr_range);
      sum += kernel * item[j];
      norm += kernel;
    };
    for (std::size_t d = 1; d <= range && d <= i && corpus.continues(i - d); ++d) take(i - d, d);
    for (std::size_t d = 1; d <= range && corpus.continues(i + d - 1); ++d) take(i + d, d);
    result[i] = (1 - w.nbr) * item[i] + (norm > 0 ? 2 * w.nbr * sum / norm : 0);
  }
  return result;
}

}  // namespace

Relevance score(const Corpus& corpus, Query& query, const SelectionWeights& w) {
  Relevance relevance;
  relevance.chunk.assign(corpus.chunks(), 0);
  for (const QueryTerm& term : query.terms()) add_bm25(corpus, term.term, term.value, w, relevance.chunk);
  relevance.item = with_neighbours(corpus, best_chunks(corpus, relevance.chunk), w);
  double top = 0;
  for (const double s : relevance.item) top = std::max(top, s);
  if (top > 0)
    for (double& s : relevance.item) s /= top;
  return relevance;
}

std::vector<double> match_atoms(const ItemAnalysis& item, const Query& query) {
  std::vector<double> value(item.terms.size(), 0);
  for (std::size_t t = 0; t < item.terms.size(); ++t) value[t] = query.value_of(item.terms[t]);
  std::vector<double> match(item.atoms.size(), 0);
  std::vector<std::size_t> seen(item.terms.size(), 0);
  for (std::size_t a = 0; a < item.atoms.size(); ++a) {
    for (std::uint32_t k = item.atom_token_begin[a]; k < item.atom_token_begin[a + 1]; ++k) {
      const std::uint32_t t = item.tokens[k];
      if (value[t] == 0 || seen[t] == a + 1) continue;
      seen[t] = a + 1;
      match[a] += value[t];
    }
  }
  return match;
}

}  // namespace ctxmgr::engine
