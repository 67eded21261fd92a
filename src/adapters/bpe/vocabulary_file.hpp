#pragma once
#include <string_view>

#include "adapters/bpe/token_ids.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::bpe {

/// A `.tiktoken` file or a Hugging Face `tokenizer.json`; see `BpeEncoding::parse`.
Result<VocabularyFile> parse_vocabulary_file(std::string_view content, std::string_view name);

}  // namespace ctxmgr::bpe
