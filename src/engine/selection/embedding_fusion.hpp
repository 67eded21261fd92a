#pragma once
#include <string_view>

#include "ctxmgr/engine/retriever.hpp"
#include "engine/selection/corpus.hpp"
#include "engine/selection/relevance.hpp"

namespace ctxmgr::engine {

/// What joining the rankings took.
struct FusionReport {
  UsageMetadata usage{};
  std::string error{};  ///< Not empty: the embedder failed, and the relevance is as it was.
};

/// Joins the lexical ranking of items with that of an embedding model by reciprocal ranks (k = 60, as in Cormack et al.,
/// SIGIR 2009). Only the order changes: the best item gets the best of the old scores, and so on. At most 256 chunks are
/// embedded, the lexically best ones.
[[nodiscard]] FusionReport fuse_embeddings(const Corpus& corpus, std::string_view query, Embedder& embedder,
                                           const CallOptions& call, Relevance& relevance);

}  // namespace ctxmgr::engine
