#include "engine/allocation.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

#include "core/utf8.hpp"
#include "engine/dense_view.hpp"

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
  std::vector<Term> wording;  ///< Of each atom, equal for equal words; 0 for short ones.
  std::size_t count = 0;
  double spent = 0;
  double overhead = 0;
};

class Allocator {
 public:
  Allocator(const std::vector<Candidate>& candidates, const Room& room, const TokenCounter& counter)
      : candidates_(candidates), room_(room), counter_(counter) {
    for (const Candidate& candidate : candidates) progress_.push_back(start(candidate));
    std::vector<Step> steps;
    for (std::size_t c = 0; c < candidates.size(); ++c)
      for (std::size_t a = 0; a < candidates[c].gain.size(); ++a) steps.push_back({density(c, a), c, a});
    queue_ = std::priority_queue<Step>(std::less<Step>(), std::move(steps));
  }

  Allocation run() {
    double used = 0;
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<Step> taken = fill(used);
      if (taken.empty() && !caps_lifted_) {
        caps_lifted_ = true;  // What trusted text could use of the room, it has.
        continue;
      }
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
    for (std::size_t a = 0; a < progress.cost.size(); ++a) progress.wording.push_back(wording(*candidate.analysis, a));
    return progress;
  }

  static Term wording(const ItemAnalysis& item, std::size_t a) {
    constexpr std::uint32_t few_words = 5;
    const std::uint32_t begin = item.atom_token_begin[a];
    const std::uint32_t end = item.atom_token_begin[a + 1];
    if (end - begin < few_words) return 0;
    Term hash = 1;
    for (std::uint32_t k = begin; k < end; ++k) hash = (hash ^ item.terms[item.tokens[k]]) * 0x9FB21C651E98DF25U;
    return hash | 1;
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
    const double names = candidates_[c].name_gain * static_cast<double>(new_names(c, a));
    const bool repeated = wordings_.count(progress_[c].wording[a]) != 0;
    return (candidates_[c].gain[a] * (repeated ? room_.repeated : 1) + names) / cost(c, a);
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

  bool is_untrusted(std::size_t c) const { return candidates_[c].analysis->trust == Trust::untrusted; }

  // Untrusted text over its share waits as long as trusted text of at least its relevance has something left to add.
  bool is_capped(std::size_t c, double price) const {
    if (!is_untrusted(c) || caps_lifted_) return false;
    const auto room = static_cast<double>(room_.tokens);
    if (progress_[c].spent + price <= room_.untrusted_one * room &&
        untrusted_spent_ + price <= room_.untrusted_all * room)
      return false;
    for (std::size_t t = 0; t < candidates_.size(); ++t)
      if (!is_untrusted(t) && candidates_[t].relevance >= candidates_[c].relevance &&
          progress_[t].count < progress_[t].cost.size())
        return true;
    return false;
  }

  std::vector<Step> fill(double used) {
    std::vector<Step> taken;
    std::vector<Step> set_aside;
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
      if (used + price > room || is_capped(step.candidate, price)) {
        set_aside.push_back(step);
        continue;
      }
      used += price;
      progress.spent += price;
      if (is_untrusted(step.candidate)) untrusted_spent_ += price;
      take(step);
      taken.push_back(step);
    }
    for (const Step& step : set_aside) queue_.push(step);
    return taken;
  }

  void take(const Step& step) {
    Progress& progress = progress_[step.candidate];
    progress.chosen[step.atom] = 1;
    for_each_name(step.candidate, step.atom, [this](Term name) { ++names_[name]; });
    if (progress.wording[step.atom] != 0) ++wordings_[progress.wording[step.atom]];
    // The header is paid for: its other atoms are worth more now.
    if (progress.count++ == 0)
      for (std::size_t a = 0; a < progress.cost.size(); ++a)
        if (progress.chosen[a] == 0) queue_.push({density(step.candidate, a), step.candidate, a});
  }

  void take_back(const Step& step) {
    progress_[step.candidate].chosen[step.atom] = 0;
    --progress_[step.candidate].count;
    if (const auto said = wordings_.find(progress_[step.candidate].wording[step.atom]); said != wordings_.end())
      if (--said->second == 0) wordings_.erase(said);
    for_each_name(step.candidate, step.atom, [this](Term name) {
      if (--names_[name] == 0) names_.erase(name);
    });
  }

  // Writes a whole text shorter where that loses nothing; a label stays as it is.
  ArtifactView shorten_whole(const Candidate& candidate, RenderedText& rendered) const {
    if (rendered.text != candidate.text) return ArtifactView::extract;
    if (!room_.dense) return ArtifactView::full;
    const std::size_t label = candidate.analysis->label_bytes;
    std::string dense = dense_view(candidate.text.substr(label), candidate.analysis->format);
    if (dense.size() + label >= rendered.text.size()) return ArtifactView::full;
    rendered.text = std::string(candidate.text.substr(0, label)) + dense;
    return ArtifactView::dense;
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
      const ArtifactView view = shorten_whole(candidate, rendered);
      if (!joined.empty()) joined += room_.separator;
      if (!candidate.header.empty()) joined.append(candidate.header).append("\n");
      joined += rendered.text;
      result.tokens += room_.overhead_tokens;
      result.chosen.push_back({c, std::move(rendered), view});
    }
    result.tokens += counter_.count(joined);
    return result;
  }

  const std::vector<Candidate>& candidates_;
  Room room_;
  const TokenCounter& counter_;
  std::vector<Progress> progress_;
  std::priority_queue<Step> queue_;
  std::unordered_map<Term, std::size_t> wordings_;  ///< Of the chosen atoms, with how often.
  double untrusted_spent_ = 0;
  bool caps_lifted_ = false;
  std::unordered_map<Term, std::size_t> names_;  ///< Identifiers of what is chosen, with how often.
};

}  // namespace

Allocation allocate(const std::vector<Candidate>& candidates, const Room& room, const TokenCounter& counter) {
  return Allocator(candidates, room, counter).run();
}

}  // namespace ctxmgr::engine
