#pragma once
#include <string_view>
#include <vector>

#include "engine/selection/corpus.hpp"
#include "engine/selection/embedding_run.hpp"

namespace ctxmgr::engine {

/// Lifts chunks that an embedding model finds close to the question: the closest to 0.3 of the best lexical score, and up to
/// 0.7 the more of the question no one place has (`open`, 0 to 1), others to less; one that stands clear of all others to the best
/// itself. What has more by its words keeps that, so
/// the model fills what words leave open. At most 1 024 chunks take part: the lexically best ones, then the newest. Where the
/// embedder fails, the scores stay as they are.
void fuse_embeddings(const Corpus& corpus, std::string_view question, double open, EmbeddingRun& embeddings,
                     std::vector<double>& chunk_scores);

}  // namespace ctxmgr::engine
