#pragma once
#include "adapters/bpe/embedded.hpp"

namespace ctxmgr::bpe {

inline const Vocabulary& cl100k_vocabulary() {
  static const Tokenizer tokenizer = load_embedded("cl100k_base").value();
  return tokenizer.vocabulary;
}

}  // namespace ctxmgr::bpe
