#include <algorithm>
#include <utility>

#include "core/most_tokens.hpp"
#include "engine/index/artifact_item.hpp"
#include "engine/selection/atom_match.hpp"
#include "engine/selection/candidates.hpp"
#include "engine/selection/embedding_fusion.hpp"
#include "engine/selection/knapsack.hpp"
#include "engine/selection/narrowing.hpp"
#include "engine/selection/relevance.hpp"
#include "engine/selection/rendering.hpp"
#include "engine/selection/selection_internal.hpp"
#include "engine/selection/untrusted_share.hpp"

namespace ctxmgr::engine {
namespace {

Room room_of(const SelectionRequest& request, const SelectionWeights& w) {
  Room room;
  room.tokens = std::clamp<std::int64_t>(request.budget_tokens, 0, most_tokens);
  room.untrusted_one = untrusted_one_share;
  room.untrusted_all = untrusted_share;
  room.repeated = w.repeated;
  room.separator = request.separator;
  return room;
}

const char* reason_of(ArtifactView view) {
  switch (view) {
    case ArtifactView::extract: return "relevant passages";
    case ArtifactView::dense: return "relevant, whole, written shorter";
    default: return "relevant, whole";
  }
}

/// What a search finds, numbered behind the items of those before it.
void add_candidates(const SliceSearch& search, std::int64_t tokens, const SelectionWeights& w, EmbeddingRun* embeddings,
                    Selection& result, std::vector<Candidate>& candidates) {
  static const std::vector<std::string> no_hints;
  const Corpus all(*search.slices);
  const Query query(all, search.query, search.hints != nullptr ? *search.hints : no_hints, w);
  const Corpus corpus = narrow(all, query, tokens, w);
  std::vector<double> chunk_scores = score_chunks(corpus, query, w);
  if (embeddings != nullptr) fuse_embeddings(corpus, search.query, query.open(), *embeddings, chunk_scores);
  const Relevance relevance = score(corpus, query, std::move(chunk_scores), w);
  const std::size_t first = result.relevance.size();
  result.relevance.resize(first + corpus.all_items(), 0);
  for (std::size_t i = 0; i < corpus.items(); ++i)
    result.relevance[first + corpus.number_in_all(i)] = relevance.item[i];
  const bool any = std::any_of(relevance.item.begin(), relevance.item.end(), [](double r) { return r > 0; });
  if (search.relevance && !any) return;
  for (Candidate& candidate : candidates_of(corpus, query, relevance, tokens, w)) {
    const std::size_t item = corpus.number_in_all(candidate.item);
    if (candidate.joins != Candidate::nothing) candidate.joins = first + corpus.number_in_all(candidate.joins);
    candidate.item = first + item;
    candidate.relevance = search.relevance.value_or(candidate.relevance);
    const double weight = search.weight ? search.weight(item) : 1;
    for (double& gain : candidate.gain) gain *= weight;
    for (double& gain : candidate.name_gain) gain *= weight;
    candidates.push_back(std::move(candidate));
  }
}

}  // namespace

// Deciding the next step takes the passages that say what to do, not the detail around them, and little from afar.
SelectionWeights weights_for(ContextGoal goal) {
  SelectionWeights weights;
  if (goal != ContextGoal::planning) return weights;
  weights.least = 0.2;
  weights.q0 = 0.1;
  weights.atom_nbr = 0;
  return weights;
}

Selection select(const std::vector<SliceSearch>& searches, const SelectionRequest& request, const TokenCounter& counter,
                 const SelectionWeights& w, EmbeddingRun* embeddings) {
  const Room room = room_of(request, w);
  Selection result;
  std::vector<Candidate> candidates;
  for (const SliceSearch& search : searches)
    add_candidates(search, room.tokens, w, search.relevance ? nullptr : embeddings, result, candidates);
  Allocation allocation = allocate(candidates, room, counter);
  result.tokens = allocation.tokens;
  for (Allotment& allotment : allocation.chosen) {
    const Candidate& candidate = candidates[allotment.candidate];
    SelectedText chosen;
    chosen.index = candidate.item;
    chosen.view = allotment.view;
    chosen.text = std::move(allotment.rendered.text);
    chosen.spans = std::move(allotment.rendered.spans);
    chosen.tokens = counter.count(chosen.text);
    chosen.relevance = candidate.relevance;
    chosen.reason = reason_of(allotment.view);
    result.chosen.push_back(std::move(chosen));
  }
  for (const std::size_t c : allocation.repeats) result.repeats.push_back(candidates[c].item);
  std::sort(result.repeats.begin(), result.repeats.end());
  return result;
}

Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request, const TokenCounter& counter,
                 const SelectionWeights& w, EmbeddingRun* embeddings) {
  return select({SliceSearch{&slices, request.query, &request.hints, {}, {}}}, request, counter, w, embeddings);
}

Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request, const TokenCounter& counter,
                 EmbeddingRun* embeddings) {
  return select(slices, request, counter, weights_for(request.goal), embeddings);
}

std::vector<IndexSlice> slices_of(const TextIndex& index, const std::vector<Artifact>& artifacts,
                                  const SelectionRequest& request) {
  const auto text = [&artifacts](std::size_t i) -> std::string_view { return artifacts[i].content; };
  const auto line_of = [](const std::vector<std::string>& lines) {
    return [&lines](std::size_t i) { return i < lines.size() ? std::string_view(lines[i]) : std::string_view(); };
  };
  const std::size_t question = std::min(request.question_at, artifacts.size());
  std::vector<IndexSlice> slices{{&index, 0, question, text, line_of(request.headers)},
                                 {&index, question, artifacts.size(), text, line_of(request.headers), true}};
  for (IndexSlice& slice : slices) slice.ranking = [&artifacts](std::size_t i) { return prior_score(artifacts[i]); };
  if (question == 0) slices.erase(slices.begin());
  if (question == artifacts.size() && slices.size() > 1) slices.pop_back();
  return slices;
}

std::vector<RankedArtifact> rank(const std::vector<IndexSlice>& slices, std::string_view text,
                                 const std::vector<std::string>& hints, std::size_t max_hits) {
  const SelectionWeights weights;
  const Corpus corpus(slices);
  const Query query(corpus, text, hints, weights);
  const Relevance relevance = score(corpus, query, weights);
  std::vector<RankedArtifact> ranked(corpus.items());
  double best = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const ItemAnalysis& item = corpus.item(i);
    ranked[i].relevance = relevance.item[i];
    const std::vector<double> match = match_atoms(item, query.terms());
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

}  // namespace ctxmgr::engine
