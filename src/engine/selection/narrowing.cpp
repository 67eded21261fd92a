#include "engine/selection/narrowing.hpp"

#include <algorithm>
#include <utility>

#include "engine/selection/relevance.hpp"

namespace ctxmgr::engine {
namespace {

struct CountedTerm {
  QueryTerm term;
  std::size_t chunks = 0;
};

// The rarest first; equally rare ones by their number, so that the order is always the same.
std::vector<CountedTerm> rarest_first(const IndexSlice& slice, const Query& query) {
  std::vector<CountedTerm> terms;
  for (const QueryTerm& term : query.terms())
    terms.push_back({term, slice.index->document_frequency(term.term, slice.first, slice.last)});
  std::sort(terms.begin(), terms.end(), [](const CountedTerm& a, const CountedTerm& b) {
    return a.chunks != b.chunks ? a.chunks < b.chunks : a.term.term < b.term.term;
  });
  return terms;
}

// Items of a slice with what they have of the query's rare terms.
class Tally {
 public:
  Tally(const IndexSlice& slice, double average_length, const SelectionWeights& w)
      : slice_(slice), average_length_(average_length), weights_(w), score_(slice.last - slice.first, 0) {}

  void add(const QueryTerm& term) {
    const TextIndex& index = *slice_.index;
    index.for_each_posting(term.term, slice_.first, slice_.last, [&](std::size_t chunk, float frequency) {
      const std::size_t item = index.item_of_chunk(chunk);
      double& score = score_[item - slice_.first];
      if (score == 0) items_.push_back(item);
      score += term.value * bm25(frequency, index.chunk_length(chunk), average_length_, weights_);
    });
  }

  // The best `count` items, ascending; among equals the newest.
  std::vector<std::size_t> best(std::size_t count) {
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(std::min(count, items_.size()));
    std::nth_element(items_.begin(), end, items_.end(), [this](std::size_t a, std::size_t b) {
      const double x = score_[a - slice_.first];
      const double y = score_[b - slice_.first];
      return x != y ? x > y : a > b;
    });
    std::vector<std::size_t> best(items_.begin(), end);
    std::sort(best.begin(), best.end());
    return best;
  }

 private:
  const IndexSlice& slice_;
  double average_length_;
  const SelectionWeights& weights_;
  std::vector<double> score_;
  std::vector<std::size_t> items_;
};

void append_around(std::size_t s, const IndexSlice& slice, const std::vector<std::size_t>& items, std::size_t around,
                   std::vector<Corpus::Stretch>& stretches) {
  const std::size_t before = stretches.size();
  for (const std::size_t item : items) {
    const std::size_t first = item - std::min(around, item - slice.first);
    const std::size_t last = std::min(slice.last, item + around + 1);
    if (stretches.size() > before && stretches.back().last >= first)
      stretches.back().last = last;
    else
      stretches.push_back({s, first, last});
  }
}

// What is seen of slice `s`.
void append_stretches(const Corpus& corpus, std::size_t s, const Query& query, std::size_t candidates,
                      const SelectionWeights& w, const NarrowingLimits& limits,
                      std::vector<Corpus::Stretch>& stretches) {
  const IndexSlice& slice = corpus.slices()[s];
  const std::size_t size = slice.last - slice.first;
  std::vector<CountedTerm> terms;
  if (size > limits.items) terms = rarest_first(slice, query);
  std::size_t all = 0;
  for (const CountedTerm& term : terms) all += term.chunks;
  if (all <= limits.postings) return stretches.push_back({s, slice.first, slice.last});
  Tally tally(slice, corpus.average_length(), w);
  std::size_t left = limits.postings;
  for (auto term = terms.begin(); term->chunks <= left; ++term) {
    tally.add(term->term);
    left -= term->chunks;
  }
  if (left < limits.postings) return append_around(s, slice, tally.best(candidates), limits.around, stretches);
  const std::size_t newest = std::min(size, candidates * (2 * limits.around + 1));
  stretches.push_back({s, slice.last - newest, slice.last});
}

}  // namespace

Corpus narrow(const Corpus& corpus, const Query& query, std::int64_t budget_tokens, const SelectionWeights& w,
              const NarrowingLimits& limits) {
  const auto more = static_cast<std::size_t>(std::max<std::int64_t>(budget_tokens, 0) / limits.candidate_tokens);
  std::vector<Corpus::Stretch> stretches;
  for (std::size_t s = 0; s < corpus.slices().size(); ++s)
    append_stretches(corpus, s, query, limits.candidates + more, w, limits, stretches);
  return corpus.narrowed(std::move(stretches));
}

}  // namespace ctxmgr::engine
