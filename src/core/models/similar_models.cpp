#include "core/models/similar_models.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/models/model_names.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t most_names = 3;
constexpr std::size_t longest_asked = 100;

/// Letters to insert, drop, replace or swap with their neighbour until one is the other (Damerau and Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool are_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, std::move(row));
  }
  return last.back();
}

}  // namespace

std::vector<std::string> similar_models(std::string_view model, const CatalogFile& catalogue) {
  const auto candidates = candidate_model_names(model.substr(0, longest_asked));
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& [known, info] : catalogue.models) {
    std::size_t nearest = known.size();
    for (const auto& name : candidates) nearest = std::min(nearest, edit_distance(name, known));
    if (nearest * 2 <= known.size()) near.emplace_back(nearest, known);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(near.size(), most_names); ++i) names.push_back(std::move(near[i].second));
  return names;
}

}  // namespace ctxmgr
