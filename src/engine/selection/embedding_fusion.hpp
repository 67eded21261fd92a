#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/usage.hpp"
#include "engine/selection/corpus.hpp"
#include "engine/selection/embedding_run.hpp"

namespace ctxmgr::engine {

/// What joining the rankings took.
struct FusionReport {
  UsageMetadata usage{};
  std::string error{};  ///< Not empty: the embedder failed, and the scores are as they were.
};

/// Joins the lexical ranking of chunks with that of an embedding model by reciprocal ranks (k = 60, as in Cormack et al.,
/// SIGIR 2009). The best of both gets the best lexical score, and so on; what comes after all that have a word of the
/// question gets less from rank to rank. At most 1 024 chunks take part: the lexically best ones, then the newest.
[[nodiscard]] FusionReport fuse_embeddings(const Corpus& corpus, std::string_view question, EmbeddingRun& embeddings,
                                           std::vector<double>& chunk_scores);

}  // namespace ctxmgr::engine
