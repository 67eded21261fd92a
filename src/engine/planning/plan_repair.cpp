#include "engine/planning/plan_repair.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/worded.hpp"
#include "engine/selection/untrusted_share.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_changes = 20;

/// What a summary aims at where the plan does not say: a tenth of its source, and no more than a quarter of the room, since
/// what passages say is said better.
std::int64_t default_summary_tokens(std::int64_t full_tokens, std::int64_t room) {
  return std::clamp<std::int64_t>(full_tokens / 10, 60, std::max<std::int64_t>(60, room / 4));
}

/// Places what a plan says, in order of priority.
class Limits {
 public:
  Limits(const std::vector<RepairItem>& items, std::int64_t budget) : budget_(budget), remaining_(budget) {
    for (const auto& item : items) {
      if (item.trust != Trust::trusted || item.fallback.strategy == ProcessingStrategy::exclude) continue;
      most_relevant_trusted_ = std::max(most_relevant_trusted_, item.relevance);
      trusted_wanted_ += item.full_tokens + item.header_tokens;
    }
  }

  /// Sets the decision's target to what there is room for; returns what changed, or nothing.
  std::string place(const RepairItem& item, ArtifactDecision& decision) {
    const auto before = decision.strategy;
    limit(item, decision);
    if (decision.target_tokens > 0) spend(item, decision.target_tokens + item.header_tokens);
    if (decision.strategy == before) return {};
    const auto id = worded("{}: {} became {}", decision.artifact_id, to_string(before), to_string(decision.strategy));
    return is_left_open(decision) ? id : worded("{}, {} tokens", id, decision.target_tokens);
  }

 private:
  void limit(const RepairItem& item, ArtifactDecision& decision) const {
    auto& target = decision.target_tokens;
    target =
        decision.strategy == ProcessingStrategy::exclude ? 0 : std::clamp<std::int64_t>(target, 0, item.full_tokens);
    if (decision.strategy == ProcessingStrategy::exclude || is_left_open(decision)) return;
    if (decision.strategy == ProcessingStrategy::summarize && target == 0)
      target = std::min(default_summary_tokens(item.full_tokens, budget_), item.full_tokens);
    if (target == item.full_tokens) decision.strategy = ProcessingStrategy::include_full;
    const bool is_whole = decision.strategy == ProcessingStrategy::include_full;
    if (is_whole) target = item.full_tokens;
    const auto room = std::min(remaining_, cap(item)) - item.header_tokens;
    if (target <= room) return;
    target = is_whole || room < least_view_tokens ? 0 : room;
    if (target == 0) decision.strategy = ProcessingStrategy::rag_extract;
  }

  std::int64_t cap(const RepairItem& item) const {
    if (item.trust == Trust::trusted || trusted_wanted_ == 0 || item.relevance > most_relevant_trusted_) return budget_;
    const auto of = [this](double share) { return static_cast<std::int64_t>(static_cast<double>(budget_) * share); };
    const auto not_wanted = budget_ - std::min(budget_, trusted_wanted_) - untrusted_spent_;
    const auto share = std::min(of(untrusted_one_share), of(untrusted_share) - untrusted_spent_);
    return std::max({not_wanted, share, item.fallback.target_tokens + item.header_tokens});
  }

  void spend(const RepairItem& item, std::int64_t tokens) {
    remaining_ -= tokens;
    if (item.trust == Trust::untrusted) untrusted_spent_ += tokens;
  }

  std::int64_t budget_;
  std::int64_t remaining_;
  std::int64_t trusted_wanted_ = 0;
  std::int64_t untrusted_spent_ = 0;
  double most_relevant_trusted_ = 0;
};

struct Placed {
  std::size_t item = 0;
  ArtifactDecision decision{};
};

void note(std::vector<std::string>& changes, std::string change) {
  if (changes.size() < most_changes) changes.push_back(std::move(change));
}

/// The plan's decisions on known artifacts, first mention first, then the fallbacks of those it does not name.
std::vector<Placed> place_all(const ArtifactPlan& plan, const std::vector<RepairItem>& items,
                              std::vector<std::string>& changes) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < items.size(); ++i) index.emplace(items[i].fallback.artifact_id, i);
  std::vector<bool> named(items.size(), false);
  std::vector<Placed> placed;
  std::size_t unknown = 0;
  std::size_t repeated = 0;
  for (const auto& decision : plan.artifacts) {
    const auto found = index.find(decision.artifact_id);
    if (found == index.end()) {
      ++unknown;
    } else if (named[found->second]) {
      ++repeated;
    } else {
      named[found->second] = true;
      placed.push_back({found->second, decision});
    }
  }
  if (unknown > 0) note(changes, worded("{} decisions on unknown artifacts dropped", unknown));
  if (repeated > 0) note(changes, worded("{} repeated decisions dropped", repeated));
  std::size_t missing = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (named[i]) continue;
    ++missing;
    placed.push_back({i, items[i].fallback});
  }
  if (missing > 0 && !plan.artifacts.empty())
    note(changes, worded("{} artifacts not named keep the deterministic decision", missing));
  return placed;
}

}  // namespace

RepairedPlan repair_plan(const ArtifactPlan& plan, const std::vector<RepairItem>& items, const std::string& query,
                         std::int64_t budget_tokens) {
  RepairedPlan repaired;
  repaired.plan.reasoning = plan.reasoning;
  auto placed = place_all(plan, items, repaired.changes);
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.decision.priority < b.decision.priority; });
  Limits limits(items, std::max<std::int64_t>(0, budget_tokens));
  int priority = 0;
  std::optional<int> before;
  for (auto& [item, decision] : placed) {
    if (before != decision.priority) ++priority;  // What the plan ranks alike stays alike.
    before = std::exchange(decision.priority, priority);
    if (decision.strategy == ProcessingStrategy::summarize && decision.summarization_focus.empty())
      decision.summarization_focus = query;
    if (auto change = limits.place(items[item], decision); !change.empty()) note(repaired.changes, std::move(change));
    if (decision.strategy == ProcessingStrategy::rag_extract && decision.extraction_query.empty())
      decision.extraction_query = query;
    repaired.order.push_back(item);
    repaired.plan.artifacts.push_back(std::move(decision));
  }
  return repaired;
}

}  // namespace ctxmgr::engine
