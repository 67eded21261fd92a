#pragma once
#include <vector>

#include "engine/selection/corpus.hpp"
#include "engine/selection/query.hpp"
#include "engine/selection/selection_weights.hpp"

namespace ctxmgr::engine {

/// Scores of everything in a corpus for a query.
struct Relevance {
  std::vector<double> chunk;    ///< How relevant each chunk is by itself.
  std::vector<double> passage;  ///< The same with what stands around the chunk in its item: 0 to 1 within the item.
  std::vector<double> item;     ///< 0 to 1, neighbours included; the best item has 1 unless nothing matches.
};

/// What a term that occurs so often gives to a chunk of this length, before its value in the query.
[[nodiscard]] double bm25(float frequency, double length, double average_length, const SelectionWeights& w);

/// BM25 of each chunk.
[[nodiscard]] std::vector<double> score_chunks(const Corpus& corpus, const Query& query, const SelectionWeights& w);

/// Scores a corpus by those of its chunks.
[[nodiscard]] Relevance score(const Corpus& corpus, const Query& query, std::vector<double> chunk_scores,
                              const SelectionWeights& w);

/// The same by words alone.
[[nodiscard]] inline Relevance score(const Corpus& corpus, const Query& query, const SelectionWeights& w) {
  return score(corpus, query, score_chunks(corpus, query, w), w);
}

/// Mean of what stands around each piece of a text, itself left out, falling off by e in `range` pieces. `continued`:
/// whether the next piece belongs to the same text.
[[nodiscard]] std::vector<double> around(const std::vector<char>& continued, const std::vector<double>& score,
                                         double range);

/// What these terms give for each term of an item.
[[nodiscard]] std::vector<double> term_values(const ItemAnalysis& item, const std::vector<QueryTerm>& terms);

/// How much of these terms each atom of an item has: sum of the values of those that it contains.
[[nodiscard]] std::vector<double> match_atoms(const ItemAnalysis& item, const std::vector<QueryTerm>& terms);

}  // namespace ctxmgr::engine
