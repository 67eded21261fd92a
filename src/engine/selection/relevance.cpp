#include "engine/selection/relevance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/selection/word_pairs.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_followed = 3;  ///< Answers whose text may name another document.

// Of each chunk, whether it came after the question; empty where none did.
std::vector<char> following(const Corpus& corpus) {
  std::vector<char> result;
  for (std::size_t i = 0; corpus.any_follows() && i < corpus.items(); ++i) {
    if (!corpus.follows(i)) continue;
    result.resize(corpus.chunks(), 0);
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(corpus.first_chunk(i)),
              result.begin() + static_cast<std::ptrdiff_t>(corpus.first_chunk(i + 1)), 1);
  }
  return result;
}

// BM25 of each chunk for some terms.
std::vector<double> tally(const Corpus& corpus, const std::vector<QueryTerm>& terms, const SelectionWeights& w) {
  std::vector<double> scores(corpus.chunks(), 0);
  const double average = corpus.average_length();
  for (const QueryTerm& term : terms)
    corpus.for_each_posting(term.term, [&](std::size_t c, float frequency) {
      scores[c] += term.value * bm25(frequency, corpus.chunk_length(c), average, w);
    });
  return scores;
}

std::vector<double> best_chunks(const Corpus& corpus, const std::vector<double>& chunk) {
  std::vector<double> item(corpus.items(), 0);
  for (std::size_t c = 0; c < chunk.size(); ++c)
    if (chunk[c] > 0) {
      double& best = item[corpus.item_of_chunk(c)];
      best = std::max(best, chunk[c]);
    }
  return item;
}

constexpr double share_beside = 0.2;        ///< Of its score, what a short turn gives to a short one beside it.
constexpr double most_terms_of_short = 80;  ///< About 400 characters.

// People talk in short turns: a question and its reply, or a fact and its comment, say one thing together.
bool is_short_talk(const Corpus& corpus, std::size_t i) {
  const std::size_t chunk = corpus.first_chunk(i);
  return corpus.first_chunk(i + 1) == chunk + 1 && corpus.chunk_length(chunk) <= most_terms_of_short;
}

void add_short_turns_beside(const Corpus& corpus, const std::vector<double>& item, std::vector<double>& result) {
  const std::vector<char> spoken = corpus.continued(true);
  for (std::size_t i = 0; i + 1 < item.size(); ++i) {
    if (spoken[i] == 0 || item[i] + item[i + 1] <= 0) continue;
    if (!is_short_talk(corpus, i) || !is_short_talk(corpus, i + 1)) continue;
    result[i] += share_beside * item[i + 1];
    result[i + 1] += share_beside * item[i];
  }
}

// In a conversation an answer spans several turns, and a topic many: a turn gets a share of what stands around it.
std::vector<double> with_neighbours(const Corpus& corpus, const std::vector<double>& item, const SelectionWeights& w) {
  const std::vector<double> near = around(corpus.continued(false), item, w.nbr_range);
  const std::vector<double> far = around(corpus.continued(true), item, w.far_range);
  std::vector<double> result(item.size());
  double before = 0;
  double after = 0;
  for (std::size_t i = 0; i < item.size(); ++i) result[i] = item[i] + near[i] + w.far * far[i];
  add_short_turns_beside(corpus, item, result);
  for (std::size_t i = 0; i < item.size(); ++i) {
    if (!corpus.is_turn(i)) continue;
    before = std::max(before, item[i]);
    after = std::max(after, result[i]);
  }
  // The best turn keeps its score, so that conversations gain nothing over documents.
  for (std::size_t i = 0; i < item.size() && after > 0; ++i)
    if (corpus.is_turn(i)) result[i] *= before / after;
  return result;
}

// In a long text, what stands around a passage that answers belongs to it (the passages beside it, a third of that the next);
// what is far from any does not.
std::vector<double> passages(const Corpus& corpus, const std::vector<double>& chunk, const SelectionWeights& w) {
  std::vector<double> result(chunk.size(), 1);
  for (std::size_t i = 0; i < corpus.items(); ++i) {
    const std::size_t first = corpus.first_chunk(i);
    const std::size_t count = corpus.first_chunk(i + 1) - first;
    if (count < 2) continue;
    const auto at = chunk.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<double> own(at, at + static_cast<std::ptrdiff_t>(count));
    const std::vector<double> near = around(std::vector<char>(count, 1), own, 1);
    double best = 0;
    for (std::size_t c = 0; c < count; ++c) {
      result[first + c] = own[c] + near[c];
      best = std::max(best, result[first + c]);
    }
    for (std::size_t c = 0; c < count; ++c) {
      const double share = best > 0 ? result[first + c] / best : 1;
      result[first + c] = share < w.least ? 0 : w.passage + (1 - w.passage) * share;
    }
  }
  return result;
}

// Numbers of the best scores above 0, the best first.
std::vector<std::size_t> best_of(const std::vector<double>& score, std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < score.size(); ++i)
    if (score[i] > 0) order.push_back(i);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&score](auto a, auto b) { return score[a] != score[b] ? score[a] > score[b] : a < b; });
  order.resize(count);
  return order;
}

bool has_term(const ItemAnalysis& item, Term term) {
  return std::binary_search(item.terms.begin(), item.terms.end(), term);
}

constexpr double ranked_share = 0.7;  ///< Of the best score by words, what the host's best gains.

// A host that searched has an order of its own: its best gains most, its last nothing.
void add_ranking(const Corpus& corpus, std::vector<double>& item) {
  std::vector<std::pair<std::size_t, double>> ranked;
  for (std::size_t i = 0; i < item.size(); ++i)
    if (const auto rank = corpus.ranking(i)) ranked.emplace_back(i, *rank);
  if (ranked.empty()) return;
  const auto by_rank = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(ranked.begin(), ranked.end(), by_rank);
  const double low = least->second;
  const double range = most->second - low;
  const double best = *std::max_element(item.begin(), item.end());
  const double gain = best > 0 ? ranked_share * best : 1;
  for (const auto& [i, rank] : ranked) item[i] += gain * (range > 0 ? (rank - low) / range : 1);
}

// Documents point at each other by name: what the best answers mention by its title is an answer's other half.
void follow_titles(const Corpus& corpus, const Query& query, std::vector<double>& item, const SelectionWeights& w) {
  const std::vector<std::size_t> best = best_of(item, most_followed);
  const std::vector<std::size_t> titled = corpus.titled();
  if (best.empty() || titled.empty()) return;
  const std::vector<double> before = item;
  std::map<std::vector<Term>, std::size_t> uses;
  for (const std::size_t j : titled) ++uses[corpus.item(j).title];
  for (const std::size_t j : titled) {
    const ItemAnalysis& target = corpus.item(j);
    if (uses[target.title] > 3) continue;  // what many share is no name
    double mass = 0;
    double asked = 0;
    for (const Term term : target.title) {
      const double x = corpus.idf(term);
      mass += x;
      if (query.value_of(term) > 0) asked += x;
    }
    item[j] += w.link * (asked >= mass * 0.999 ? 1 : 0) * before[best[0]];
    double linked = 0;
    for (const std::size_t i : best) {
      if (i == j) continue;
      const ItemAnalysis& source = corpus.item(i);
      if (std::all_of(target.title.begin(), target.title.end(), [&](Term term) { return has_term(source, term); }))
        linked = std::max(linked, before[i]);
    }
    item[j] += w.link * linked;
  }
}

// By the sentence that each chunk has most of, and a share of all words. What has words of hints alone answers none of them.
std::vector<double> score_sentences(const Corpus& corpus, const Query& query, const SelectionWeights& w) {
  std::vector<double> scores(corpus.chunks(), 0);
  for (const QuerySentence& sentence : query.sentences()) {
    const std::vector<double> own = tally(corpus, sentence.terms, w);
    for (std::size_t c = 0; c < own.size(); ++c) scores[c] = std::max(scores[c], own[c] * own[c] / sentence.total);
  }
  const std::vector<double> all = tally(corpus, query.terms(), w);
  for (std::size_t c = 0; c < all.size(); ++c)
    if (scores[c] > 0) scores[c] += w.spread * all[c];
  return scores;
}

// By the words alone.
std::vector<double> score_words(const Corpus& corpus, const Query& query, const SelectionWeights& w) {
  if (w.spread < 1) return score_sentences(corpus, query, w);
  std::vector<double> scores = tally(corpus, query.terms(), w);
  if (query.continues() >= 1) return scores;
  // Before the question, hints order what it finds; what they alone speak for counts as far as it goes on from them.
  const std::vector<char> follows = following(corpus);
  const auto came_before = [&follows](std::size_t c) { return follows.empty() || follows[c] == 0; };
  const std::vector<double> own = tally(corpus, query.asked(), w);
  double best = 0;
  for (std::size_t c = 0; c < own.size(); ++c)
    if (came_before(c)) best = std::max(best, own[c]);
  for (std::size_t c = 0; c < own.size(); ++c)
    if (came_before(c)) scores[c] = std::min(scores[c], own[c] * (1 + w.hint_before) + query.continues() * best);
  return scores;
}

}  // namespace

double bm25(float frequency, double length, double average_length, const SelectionWeights& w) {
  const auto tf = static_cast<double>(frequency);
  return tf * (w.k1 + 1) / (tf + w.k1 * (1 - w.b + w.b * length / average_length));
}

std::vector<double> around(const std::vector<char>& continued, const std::vector<double>& score, double range) {
  // One recursive pass in each direction.
  const double decay = std::exp(-1 / range);
  std::vector<double> sum(score.size(), 0);
  double running = 0;
  for (std::size_t i = 0; i + 1 < score.size(); ++i) {
    running = continued[i] != 0 ? decay * (running + score[i]) : 0;
    sum[i + 1] += running;
  }
  running = 0;
  for (std::size_t i = score.size(); i-- > 1;) {
    running = continued[i - 1] != 0 ? decay * (running + score[i]) : 0;
    sum[i - 1] += running;
  }
  for (double& x : sum) x *= (1 - decay) / (2 * decay);
  return sum;
}

std::vector<double> score_chunks(const Corpus& corpus, const Query& query, const SelectionWeights& w) {
  std::vector<double> scores = score_words(corpus, query, w);
  add_word_pairs(corpus, query, scores);
  return scores;
}

Relevance score(const Corpus& corpus, const Query& query, std::vector<double> chunk_scores, const SelectionWeights& w) {
  Relevance relevance;
  relevance.chunk = std::move(chunk_scores);
  std::vector<double> item = best_chunks(corpus, relevance.chunk);
  relevance.passage = passages(corpus, relevance.chunk, w);
  add_ranking(corpus, item);
  follow_titles(corpus, query, item, w);
  relevance.item = with_neighbours(corpus, item, w);
  if (corpus.has_priors())
    for (std::size_t i = 0; i < relevance.item.size(); ++i) relevance.item[i] *= corpus.prior(i);
  double top = 0;
  for (std::size_t i = 0; i < relevance.item.size(); ++i) top = std::max(top, relevance.item[i]);
  if (top > 0)
    for (double& s : relevance.item) s /= top;
  return relevance;
}

std::vector<double> term_values(const ItemAnalysis& item, const std::vector<QueryTerm>& terms) {
  std::vector<double> value(item.terms.size(), 0);
  for (const QueryTerm& term : terms) {
    const auto at = std::lower_bound(item.terms.begin(), item.terms.end(), term.term);
    if (at != item.terms.end() && *at == term.term)
      value[static_cast<std::size_t>(at - item.terms.begin())] = term.value;
  }
  return value;
}

std::vector<double> match_atoms(const ItemAnalysis& item, const std::vector<QueryTerm>& terms) {
  const std::vector<double> value = term_values(item, terms);
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
