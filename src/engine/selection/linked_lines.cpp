#include "engine/selection/linked_lines.hpp"

#include <algorithm>
#include <unordered_map>

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_asked_for = 3;  ///< Lines that may match the question alike;
constexpr std::size_t most_joined = 8;     ///< a word that more lines share than this joins nothing.

std::vector<LinePlace> best_lines(const std::vector<AskedItem>& items, double least) {
  std::vector<LinePlace> best;
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t a = 0; a < items[i].asked->size(); ++a) {
      const double match = (*items[i].asked)[a];
      if (match < least || match <= 0 || !stands_alone(*items[i].item, items[i].item->atoms[a])) continue;
      if (match > least * 1.001) best.clear();
      least = std::max(least, match);
      best.push_back({i, a});
    }
  return best;
}

}  // namespace

bool stands_alone(const ItemAnalysis& item, const Atom& atom) {
  return item.format == ContentFormat::log || atom.kind == AtomKind::row;
}

std::vector<LinePlace> joined_lines(const std::vector<AskedItem>& items, double all_asked) {
  const std::vector<LinePlace> best = best_lines(items, all_asked / 2);
  if (best.empty() || best.size() > most_asked_for) return {};
  std::unordered_map<Term, std::vector<LinePlace>> lines;  // That have each word of the best.
  for (const LinePlace& line : best) {
    const ItemAnalysis& item = *items[line.item].item;
    for (std::uint32_t k = item.atom_token_begin[line.atom]; k < item.atom_token_begin[line.atom + 1]; ++k)
      if ((item.token_flags[k] & (term_function | term_part)) == 0) lines[item.terms[item.tokens[k]]];
  }
  const auto is_best = [&best](std::size_t i, std::size_t a) {
    return std::any_of(best.begin(), best.end(), [&](const LinePlace& b) { return b.item == i && b.atom == a; });
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ItemAnalysis& item = *items[i].item;
    for (std::size_t a = 0; a < item.atoms.size(); ++a) {
      if (!stands_alone(item, item.atoms[a]) || is_best(i, a)) continue;
      for (std::uint32_t k = item.atom_token_begin[a]; k < item.atom_token_begin[a + 1]; ++k) {
        const auto found = lines.find(item.terms[item.tokens[k]]);
        if (found == lines.end() || found->second.size() > most_joined) continue;
        if (found->second.empty() || found->second.back().item != i || found->second.back().atom != a)
          found->second.push_back({i, a});
      }
    }
  }
  std::vector<LinePlace> joined;
  for (const auto& [word, places] : lines)
    if (places.size() <= most_joined) joined.insert(joined.end(), places.begin(), places.end());
  const auto key = [](const LinePlace& place) { return std::pair(place.item, place.atom); };
  std::sort(joined.begin(), joined.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto same = [&](const auto& a, const auto& b) { return key(a) == key(b); };
  joined.erase(std::unique(joined.begin(), joined.end(), same), joined.end());
  return joined;
}

}  // namespace ctxmgr::engine
