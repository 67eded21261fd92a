#pragma once
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/bpe/tokenizer.hpp"

namespace ctxmgr::bpe {

/// The ids that a file gives its tokens, where they are not the ranks.
struct TokenIds {
  TokenIds() = default;
  explicit TokenIds(std::vector<std::uint32_t> by_rank) : ids(std::move(by_rank)) {
    for (Rank rank = 0; rank < ids.size(); ++rank) ranks.emplace(ids[rank], rank);
  }

  std::vector<std::uint32_t> ids{};                 ///< The id of each rank; empty: the ids are the ranks.
  std::unordered_map<std::uint32_t, Rank> ranks{};  ///< The reverse.

  std::uint32_t id_of(Rank rank) const { return ids.empty() ? rank : ids[rank]; }
  Rank rank_of(std::uint32_t id) const {
    if (ids.empty()) return id;
    const auto found = ranks.find(id);
    return found == ranks.end() ? no_rank : found->second;
  }
};

struct VocabularyFile {
  Tokenizer tokenizer;
  TokenIds ids;
};

}  // namespace ctxmgr::bpe
