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

Term pattern_of(const ItemAnalysis& item, std::size_t atom) {
  if (wording_of(item, atom) == 0) return 0;
  Term hash = 3;
  bool any_number = false;
  for (std::uint32_t k = item.atom_token_begin[atom]; k < item.atom_token_begin[atom + 1]; ++k) {
    const bool is_number = (item.token_flags[k] & term_number) != 0;
    any_number = any_number || is_number;
    hash = (hash ^ (is_number ? 0 : item.terms[item.tokens[k]])) * 0x9FB21C651E98DF25U;
  }
  return any_number ? hash | 1 : 0;
}

void ChosenWords::add(Term wording) {
  if (wording != 0) ++wordings_[wording];
}

std::size_t ChosenWords::times(Term wording) const {
  const auto at = wordings_.find(wording);
  return at == wordings_.end() ? 0 : at->second;
}

void ChosenWords::remove(Term wording) {
  const auto at = wordings_.find(wording);
  if (at != wordings_.end() && --at->second == 0) wordings_.erase(at);
}

}  // namespace ctxmgr::engine
