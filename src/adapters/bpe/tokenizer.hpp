#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/bpe/piece_memo.hpp"
#include "adapters/bpe/pretokenizer.hpp"
#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// A memo that knows the tokens of low ranks, which are the frequent ones.
std::unique_ptr<PieceMemo> memo_of(const Vocabulary& vocabulary);

/// A vocabulary and the pattern that splits a text for it.
/// Thread-safety: const methods may be called from several threads at once.
struct Tokenizer {
  Vocabulary vocabulary;
  SplitPattern pattern;
  bool normalizes = false;                                ///< Text is brought into normal form C first.
  std::unique_ptr<PieceMemo> memo = memo_of(vocabulary);  ///< Forgetting it changes no result.

  /// May stop past `limit` and return any number above it that is not above the true count.
  std::int64_t count(std::string_view text, std::int64_t limit = std::numeric_limits<std::int64_t>::max()) const;

  std::vector<Rank> encode(std::string_view text) const;
};

}  // namespace ctxmgr::bpe
