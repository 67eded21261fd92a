#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr {

/// Where the vectors are kept: `erase_namespace()` of the store forgets them.
inline constexpr std::string_view cached_vectors_namespace = "ctxmgr.vectors.1";

/// Keeps the vectors of passages in a store, so that they survive a restart: a text is embedded once for each model. Questions
/// are asked anew each time, and name the model whose vectors are looked up. A vector is kept in eight bits a number, under a
/// hash of model and text; the text itself is not. A store that fails or holds something else costs a call and never an error.
/// Unset, `ttl` keeps a vector until it is erased. Without a store nothing is kept. Around no embedder, each call is
/// `invalid_argument`.
///
///     options.embedder = make_cached_embedder(*std::move(embedder), store);
///
/// Thread-safety: may be called from several threads at once.
[[nodiscard]] CTXMGR_API std::unique_ptr<Embedder> make_cached_embedder(
    std::shared_ptr<Embedder> embedder, std::shared_ptr<KeyValueStore> store,
    std::optional<std::chrono::milliseconds> ttl = {});

}  // namespace ctxmgr
