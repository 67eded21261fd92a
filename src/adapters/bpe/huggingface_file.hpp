#pragma once
#include <string_view>

#include "adapters/bpe/token_ids.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::bpe {

/// A Hugging Face `tokenizer.json` with byte-level BPE, one of the known split patterns, and no normaliser but NFC.
/// Added tokens are left out: in text they are text.
Result<VocabularyFile> parse_huggingface_file(std::string_view content);

}  // namespace ctxmgr::bpe
