#include "core/models/similar_models.hpp"

#include <algorithm>
#include <utility>

#include "core/edit_distance.hpp"
#include "core/models/model_names.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t most_names = 3;
constexpr std::size_t longest_asked = 100;

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
