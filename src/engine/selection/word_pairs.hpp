#pragma once
#include <vector>

#include "engine/selection/corpus.hpp"
#include "engine/selection/query.hpp"

namespace ctxmgr::engine {

/// Adds to the scores of chunks for each two words of the question that stand together in them, in either order and with
/// at most two words between. Two count as one more word of the lesser value (sequential dependence; Metzler and Croft,
/// 2005). The best chunks that have both words are read, 64 at most: the rest keeps its score.
void add_word_pairs(const Corpus& corpus, const Query& query, std::vector<double>& scores);

}  // namespace ctxmgr::engine
