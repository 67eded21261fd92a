#include "engine/selection/redundancy.hpp"

#include <cstdint>

namespace ctxmgr::engine {
namespace {

constexpr std::uint32_t few_words = 5;  // An atom of fewer repeats nothing.

}  // namespace

Term wording_of(const ItemAnalysis& item, std::size_t atom) {
  const std::uint32_t begin = item.atom_token_begin[atom];
  const std::uint32_t end = item.atom_token_begin[atom + 1];
  if (end - begin < few_words) return 0;
  Term hash = 1;
  for (std::uint32_t k = begin; k < end; ++k) hash = (hash ^ item.terms[item.tokens[k]]) * 0x9FB21C651E98DF25U;
  return hash | 1;
}

void ChosenWords::add(Term wording) {
  if (wording != 0) ++wordings_[wording];
}

void ChosenWords::remove(Term wording) {
  const auto at = wordings_.find(wording);
  if (at != wordings_.end() && --at->second == 0) wordings_.erase(at);
}

}  // namespace ctxmgr::engine
