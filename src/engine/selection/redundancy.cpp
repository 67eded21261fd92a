#include "engine/selection/redundancy.hpp"

#include <cstdint>

namespace ctxmgr::engine {
namespace {

constexpr std::uint32_t few_words = 5;      // An atom of fewer repeats nothing.
constexpr std::uint32_t shingle_words = 3;  // Near-duplicates share runs of this many words:
constexpr std::uint32_t near_share = 5;     // all but one in so many.

Term shingle_at(const ItemAnalysis& item, std::uint32_t k) {
  Term hash = 2;
  for (std::uint32_t i = k; i < k + shingle_words; ++i)
    hash = (hash ^ item.terms[item.tokens[i]]) * 0x9FB21C651E98DF25U;
  return hash;
}

// Names and numbers: what texts differ by that are alike otherwise.
bool is_particular(std::uint8_t flags) {
  return (flags & (term_identifier | term_number | term_capital)) != 0 && (flags & term_function) == 0;
}

void remove_one(TermCounts& counts, Term term) {
  if (const auto at = counts.find(term); at != counts.end() && --at->second == 0) counts.erase(at);
}

}  // namespace

Term wording_of(const ItemAnalysis& item, std::size_t atom) {
  const std::uint32_t begin = item.atom_token_begin[atom];
  const std::uint32_t end = item.atom_token_begin[atom + 1];
  if (end - begin < few_words) return 0;
  Term hash = 1;
  for (std::uint32_t k = begin; k < end; ++k) hash = (hash ^ item.terms[item.tokens[k]]) * 0x9FB21C651E98DF25U;
  return hash | 1;
}

void ChosenWords::add(std::size_t candidate, const ItemAnalysis& item, std::size_t atom, Term wording) {
  if (wording == 0) return;
  ++wordings_[wording];
  const std::uint32_t end = item.atom_token_begin[atom + 1];
  for (std::uint32_t k = item.atom_token_begin[atom]; k < end; ++k) {
    if (k + shingle_words <= end) ++shingles_.try_emplace(shingle_at(item, k), Said{candidate, 0}).first->second.times;
    if (is_particular(item.token_flags[k])) ++particulars_[item.terms[item.tokens[k]]];
  }
}

void ChosenWords::remove(const ItemAnalysis& item, std::size_t atom, Term wording) {
  if (wording == 0) return;
  remove_one(wordings_, wording);
  const std::uint32_t end = item.atom_token_begin[atom + 1];
  for (std::uint32_t k = item.atom_token_begin[atom]; k < end; ++k) {
    const auto said = k + shingle_words <= end ? shingles_.find(shingle_at(item, k)) : shingles_.end();
    if (said != shingles_.end() && --said->second.times == 0) shingles_.erase(said);
    if (is_particular(item.token_flags[k])) remove_one(particulars_, item.terms[item.tokens[k]]);
  }
}

bool ChosenWords::say(std::size_t candidate, const ItemAnalysis& item, std::size_t atom, Term wording) const {
  if (wording == 0 || wordings_.empty()) return false;
  return has(wording) || nearly_say(candidate, item, atom);
}

bool ChosenWords::nearly_say(std::size_t candidate, const ItemAnalysis& item, std::size_t atom) const {
  const std::uint32_t begin = item.atom_token_begin[atom];
  const std::uint32_t end = item.atom_token_begin[atom + 1];
  std::uint32_t may_differ = (end - begin - shingle_words + 1) / near_share;
  if (may_differ == 0) return false;
  std::size_t other = candidate;  // Who says most of it, by majority vote.
  std::ptrdiff_t lead = 0;
  for (std::uint32_t k = begin; k + shingle_words <= end; ++k) {
    const auto said = shingles_.find(shingle_at(item, k));
    if (said == shingles_.end() || said->second.candidate == candidate) {
      if (may_differ-- == 0) return false;
    } else if (lead == 0 || said->second.candidate == other) {
      other = said->second.candidate;
      ++lead;
    } else {
      --lead;
    }
  }
  if (lead <= 0) return false;
  for (std::uint32_t k = begin; k < end; ++k)
    if (is_particular(item.token_flags[k]) && particulars_.count(item.terms[item.tokens[k]]) == 0) return false;
  return true;
}

}  // namespace ctxmgr::engine
