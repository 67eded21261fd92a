#pragma once
#include <memory>
#include <string>

#include "ctxmgr/adapters/bpe_encoding.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

struct BpeTokenCounterOptions {
  /// As in `ModelInfo::tokenizer`. Compiled in: o200k_base, cl100k_base.
  std::string tokenizer = "o200k_base";
  /// Not empty: read `tokenizer` from this .tiktoken or tokenizer.json file instead; see `BpeEncoding::parse`.
  std::string vocabulary_path{};
};

/// Exact counts. The encoding is loaded once (some milliseconds and megabytes: make one counter and share it) and
/// serves all threads without a lock. `not_found`, `invalid_argument`, `bad_data` as in `BpeEncoding`.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<TokenCounter>> make_bpe_token_counter(
    const BpeTokenCounterOptions& options = {});

/// A counter over an encoding that is already loaded.
[[nodiscard]] CTXMGR_API std::unique_ptr<TokenCounter> make_bpe_token_counter(BpeEncoding encoding);

}  // namespace ctxmgr
