#pragma once
#include "adapters/bpe/pair_memo.hpp"
#include "adapters/bpe/piece_memo.hpp"

namespace ctxmgr::bpe {

/// What counting has found out so far and may need again. Forgetting it changes no result.
/// Thread-safety: all methods of its parts may be called from several threads at once.
struct Memo {
  PieceMemo pieces;
  PairMemo pairs;
};

}  // namespace ctxmgr::bpe
