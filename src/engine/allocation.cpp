#include "engine/allocation.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "core/utf8.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double ellipsis_tokens = 0.75;
constexpr int most_rounds = 12;

struct Step {
  double density = 0;
  std::size_t candidate = 0;
  std::size_t atom = 0;

  bool operator<(const Step& other) const {
    if (density != other.density) return density < other.density;
    if (candidate != other.candidate) return candidate > other.candidate;
    return atom > other.atom;
  }
};

// What is chosen of one candidate so far, and what each further atom would cost.
struct Progress {
  std::vector<double> cost;
  AtomSet chosen;
  std::size_t count = 0;
  double overhead = 0;
};

class Allocator {
 public:
  Allocator(const std::vector<Candidate>& candidates, const Room& room, const TokenCounter& counter)
      : candidates_(candidates), room_(room), counter_(counter) {
    for (const Candidate& candidate : candidates) progress_.push_back(start(candidate));
    for (std::size_t c = 0; c < candidates.size(); ++c)
      for (std::size_t a = 0; a < candidates[c].gain.size(); ++a) queue_.push({density(c, a), c, a});
  }

  Allocation run() {
    double used = 0;
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<Step> taken = fill(used);
      if (taken.empty()) break;
      std::int64_t exact = assemble().tokens;
      while (exact > room_.tokens && !taken.empty()) {
        take_back(taken.back());
        taken.pop_back();
        exact = assemble().tokens;
      }
      if (taken.empty()) break;
      used = static_cast<double>(exact);
    }
    return assemble();
  }

 private:
  Progress start(const Candidate& candidate) const {
    Progress progress;
    const double chars = static_cast<double>(std::max<std::size_t>(utf8::count_code_points(candidate.text), 1));
    const double rate = static_cast<double>(counter_.count(candidate.text)) / chars;
    for (const Atom& atom : candidate.analysis->atoms) {
      const auto text = candidate.text.substr(atom.begin, atom.end - atom.begin);
      progress.cost.push_back(rate * static_cast<double>(utf8::count_code_points(text) + 1));
    }
    const std::size_t extra = candidate.analysis->label_bytes + room_.separator.size() +
                              (candidate.header.empty() ? 0 : candidate.header.size() + 1);
    progress.overhead = static_cast<double>(room_.overhead_tokens) + rate * static_cast<double>(extra);
    progress.chosen.assign(progress.cost.size(), 0);
    return progress;
  }

  double cost(std::size_t c, std::size_t a) const {
    const Progress& progress = progress_[c];
    const bool alone = progress.cost.size() == 1;
    if (progress.count == 0) return progress.cost[a] + progress.overhead + (alone ? 0 : ellipsis_tokens);
    const bool left = a > 0 && progress.chosen[a - 1] != 0;
    const bool right = a + 1 < progress.chosen.size() && progress.chosen[a + 1] != 0;
    return std::max(0.25, progress.cost[a] + (left && right ? -ellipsis_tokens : left || right ? 0 : ellipsis_tokens));
  }

  double density(std::size_t c, std::size_t a) const {
    return (candidates_[c].gain[a] + candidates_[c].name_gain * static_cast<double>(new_names(c, a))) / cost(c, a);
  }

  template <class Visit>
  void for_each_name(std::size_t c, std::size_t a, Visit visit) const {
    const ItemAnalysis& item = *candidates_[c].analysis;
    for (std::uint32_t k = item.atom_token_begin[a]; k < item.atom_token_begin[a + 1]; ++k)
      if ((item.token_flags[k] & (term_identifier | term_part)) == term_identifier) visit(item.terms[item.tokens[k]]);
  }

  std::size_t new_names(std::size_t c, std::size_t a) const {
    if (candidates_[c].name_gain <= 0) return 0;
    std::size_t count = 0;
    for_each_name(c, a, [&](Term name) { count += names_.count(name) == 0 ? 1 : 0; });
    return count;
  }

  std::vector<Step> fill(double used) {
    std::vector<Step> taken;
    std::vector<Step> too_long;
    const auto room = static_cast<double>(room_.tokens);
    while (!queue_.empty() && room - used >= 3) {
      const Step step = queue_.top();
      queue_.pop();
      Progress& progress = progress_[step.candidate];
      if (progress.chosen[step.atom] != 0) continue;
      const double now = density(step.candidate, step.atom);
      if (now < step.density * 0.999999) {
        queue_.push({now, step.candidate, step.atom});
        continue;
      }
      const double price = cost(step.candidate, step.atom);
      if (used + price > room) {
        too_long.push_back(step);
        continue;
      }
      used += price;
      take(step);
      taken.push_back(step);
    }
    for (const Step& step : too_long) queue_.push(step);
    return taken;
  }

  void take(const Step& step) {
    Progress& progress = progress_[step.candidate];
    progress.chosen[step.atom] = 1;
    for_each_name(step.candidate, step.atom, [this](Term name) { ++names_[name]; });
    // The header is paid for: its other atoms are worth more now.
    if (progress.count++ == 0)
      for (std::size_t a = 0; a < progress.cost.size(); ++a)
        if (progress.chosen[a] == 0) queue_.push({density(step.candidate, a), step.candidate, a});
  }

  void take_back(const Step& step) {
    progress_[step.candidate].chosen[step.atom] = 0;
    --progress_[step.candidate].count;
    for_each_name(step.candidate, step.atom, [this](Term name) {
      if (--names_[name] == 0) names_.erase(name);
    });
  }

  Allocation assemble() const {
    Allocation result;
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      if (progress_[c].count > 0) order.push_back(c);
    std::sort(order.begin(), order.end(),
              [this](std::size_t a, std::size_t b) { return candidates_[a].item < candidates_[b].item; });
    std::string joined;
    for (const std::size_t c : order) {
      const Candidate& candidate = candidates_[c];
      AtomSet chosen = progress_[c].chosen;
      complete_frames(*candidate.analysis, chosen);
      RenderedText rendered = render_atoms(candidate.text, *candidate.analysis, chosen);
      if (!joined.empty()) joined += room_.separator;
      if (!candidate.header.empty()) joined.append(candidate.header).append("\n");
      joined += rendered.text;
      result.tokens += room_.overhead_tokens;
      const bool whole = rendered.text.size() == candidate.text.size();
      result.chosen.push_back({c, std::move(rendered), whole});
    }
    result.tokens += counter_.count(joined);
    return result;
  }

  const std::vector<Candidate>& candidates_;
  Room room_;
  const TokenCounter& counter_;
  std::vector<Progress> progress_;
  std::priority_queue<Step> queue_;
  std::unordered_map<Term, std::size_t> names_;  ///< Identifiers of what is chosen, with how often.
};

}  // namespace

Allocation allocate(const std::vector<Candidate>& candidates, const Room& room, const TokenCounter& counter) {
  return Allocator(candidates, room, counter).run();
}

}  // namespace ctxmgr::engine
