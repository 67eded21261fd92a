#pragma once
#include <memory>
#include <string>

#include "command.hpp"
#include "ctxmgr/ports/embedder.hpp"

/// \file
/// The embeddings service that `select` and `simulate` may ask.
namespace ctxpack {

struct EmbedderOptions {
  std::string url;
  std::string model;
};

/// Adds `--embedder` and `--embedding-model`. The options outlive the command.
void add_embedder(const Command& command, EmbedderOptions& options);

/// Null where none is asked for.
[[nodiscard]] ctxmgr::Result<std::shared_ptr<ctxmgr::Embedder>> make_embedder(const EmbedderOptions& options);

}  // namespace ctxpack
