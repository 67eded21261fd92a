#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr {

struct CachedEmbedderOptions {
  std::shared_ptr<KeyValueStore> store{};          ///< Null: nothing is kept.
  std::string name_space = "ctxmgr.vectors.1";     ///< `erase_namespace()` of the store forgets its vectors.
  std::optional<std::chrono::milliseconds> ttl{};  ///< How long a vector is kept. Unset: until erased.
};

/// Keeps the vectors of passages in a store, so that they survive a restart: a text is embedded once for each model. Questions
/// are asked anew each time, and name the model whose vectors are looked up. A vector is kept in eight bits a number, under a
/// hash of model and text; the text itself is not. A store that fails or holds something else costs a call and never an error.
/// Around no embedder, each call is `invalid_argument`.
///
///     options.embedder = make_cached_embedder(*std::move(embedder), {store});
///
/// Thread-safety: may be called from several threads at once.
[[nodiscard]] CTXMGR_API std::unique_ptr<Embedder> make_cached_embedder(std::shared_ptr<Embedder> embedder,
                                                                        CachedEmbedderOptions options);

}  // namespace ctxmgr
