#include "engine/selection/knapsack.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/node_pool.hpp"
#include "core/utf8.hpp"
#include "engine/selection/atom_match.hpp"
#include "engine/selection/fitting.hpp"
#include "engine/selection/redundancy.hpp"
#include "engine/selection/step_queue.hpp"
#include "engine/structure/dense_view.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double ellipsis_tokens = 0.75;
constexpr double least_price = 0.25;
constexpr int most_rounds = 12;
constexpr std::size_t most_sampled = 1 << 14;  // bytes
constexpr std::size_t most_beside = 4;         // atoms to each side
constexpr double small_rest_share = 0.125;     // of the room

// What a step changed, to take it back.
struct Taken {
  Step step;
  std::vector<std::size_t> atoms;
  double price = 0;
};

// What is chosen of one candidate so far, and what each further atom would cost.
struct Progress {
  std::vector<double> cost;
  AtomSet chosen;
  std::vector<std::uint32_t> frames;  ///< How many of the chosen cannot do without each.
  std::vector<Term> wording;          ///< Of each atom, equal for equal words; 0 for short ones.
  std::vector<Term> pattern;          ///< The same without numbers; 0 in rows, logs, code and JSON.
  std::size_t count = 0;
  double all = 0;  ///< Tokens of all atoms, without header and frames.
  double own = 0;  ///< Tokens of the chosen atoms, counted alike.
  double spent = 0;
  double overhead = 0;
  std::string dense{};  ///< Empty where it would not be shorter.
  double dense_cost = 0;
};

// Of the start of a text: it is an estimate, and counting megabytes takes its time.
double tokens_per_character(std::string_view text, const TokenCounter& counter) {
  const std::string_view sample = text.substr(0, utf8::floor_boundary(text, most_sampled));
  const double chars = static_cast<double>(std::max<std::size_t>(utf8::count_code_points(sample), 1));
  return static_cast<double>(counter.count(sample)) / chars;
}

Progress start(const Candidate& candidate, const Room& room, const TokenCounter& counter) {
  Progress progress;
  const ItemAnalysis& item = *candidate.analysis;
  const double rate = tokens_per_character(candidate.text, counter);
  const bool is_prose = item.format == ContentFormat::text || item.format == ContentFormat::markdown;
  for (std::size_t a = 0; a < item.atoms.size(); ++a) {
    const auto text = candidate.text.substr(item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin);
    progress.cost.push_back(rate * static_cast<double>(utf8::count_code_points(text) + 1));
    progress.all += progress.cost.back();
    progress.wording.push_back(wording_of(item, a));
    progress.pattern.push_back(is_prose && item.atoms[a].kind != AtomKind::row ? pattern_of(item, a) : 0);
  }
  const std::size_t header = candidate.header.empty() ? 0 : candidate.header.size() + 1;
  const std::size_t extra = item.label_bytes + room.separator.size() + header;
  progress.overhead = rate * static_cast<double>(extra);
  progress.chosen.assign(progress.cost.size(), 0);
  progress.frames.assign(progress.cost.size(), 0);
  std::string dense(candidate.text.substr(0, item.label_bytes));
  dense += dense_view(candidate.text.substr(item.label_bytes), item.format);
  if (dense.size() >= candidate.text.size()) return progress;
  const std::int64_t shorter = counter.count(dense);
  if (shorter >= counter.count(candidate.text)) return progress;
  progress.dense = std::move(dense);
  progress.dense_cost = static_cast<double>(shorter);
  return progress;
}

class Allocator {
 public:
  Allocator(const std::vector<Candidate>& candidates, const Room& room, const TokenCounter& counter)
      : candidates_(candidates), room_(room), counter_(counter) {
    for (const Candidate& candidate : candidates) {
      progress_.push_back(start(candidate, room, counter));
      names_count_ = names_count_ || !candidate.name_gain.empty();
    }
    for (std::size_t c = 0; c < candidates.size(); ++c) offer_rest(c);
  }

  Allocation run() {
    double used = 0;
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<Taken> taken = fill(used);
      if (taken.empty() && !caps_lifted_) {
        caps_lifted_ = true;  // What trusted text could use of the room, it has.
        continue;
      }
      if (taken.empty()) break;
      if (keep_what_fits(taken, used) == 0) break;
    }
    Allocation result = assemble();
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      if (says_nothing_new(c)) result.repeats.push_back(c);
    return result;
  }

 private:
  // What may still be added to a candidate.
  void offer_rest(std::size_t c) {
    std::vector<Step> steps;
    for (std::size_t a = 0; a < progress_[c].cost.size(); ++a)
      if (progress_[c].chosen[a] == 0) steps.push_back({density(c, a), c, a});
    if (!progress_[c].dense.empty()) steps.push_back({density(c, whole_dense), c, whole_dense});
    queue_.push_all(std::move(steps));
  }

  // What stands under the same heading costs less once that is shown.
  void offer_beside(std::size_t c, std::size_t a) {
    const std::vector<Atom>& atoms = candidates_[c].analysis->atoms;
    const auto heading = atoms[a].heading;
    for (std::size_t b = a - std::min(a, most_beside); b < std::min(atoms.size(), a + 1 + most_beside); ++b)
      if (progress_[c].chosen[b] == 0 && (atoms[b].heading == a || (heading != no_atom && atoms[b].heading == heading)))
        queue_.push({density(c, b), c, b});
  }

  // Whether a step still changes anything.
  bool is_open(const Step& step) const {
    const Progress& progress = progress_[step.candidate];
    if (step.atom == whole_dense) return progress.count < progress.cost.size();
    return progress.chosen[step.atom] == 0;
  }

  // Of an atom; of the whole written shorter, what it costs beyond what is chosen already. Whatever is the first of a
  // candidate pays for its header.
  double price(std::size_t c, std::size_t a) const {
    const Progress& progress = progress_[c];
    if (a == whole_dense) return std::max(least_price, progress.dense_cost + progress.overhead - progress.spent);
    const bool alone = progress.cost.size() == 1;
    const std::size_t below = bare_without(c, a);
    const double own = progress.frames[a] == 0 ? progress.cost[a] : 0;
    const double cost = own + (below == no_atom ? 0 : progress.cost[below]) + price_of_frames(c, a);
    if (progress.count == 0) return std::max(least_price, cost + progress.overhead + (alone ? 0 : ellipsis_tokens));
    const bool left = a > 0 && progress.chosen[a - 1] != 0;
    const bool right = a + 1 < progress.chosen.size() && progress.chosen[a + 1] != 0;
    const double marks = left && right ? -ellipsis_tokens : left || right ? 0 : ellipsis_tokens;
    return std::max(least_price, cost + marks);
  }

  // Of what an atom cannot do without, as far as it is not shown yet.
  double price_of_frames(std::size_t c, std::size_t a) const {
    const Progress& progress = progress_[c];
    if (candidates_[c].analysis->atoms[a].kind == AtomKind::row) return 0;  // As many rows share them.
    double price = 0;
    std::size_t before = a;
    for_each_frame(*candidates_[c].analysis, a, [&](std::size_t frame) {
      const bool is_new = frame != before && frame != a;
      if (is_new && !is_frame(*candidates_[c].analysis, candidates_[c].analysis->atoms[frame]) &&
          progress.chosen[frame] == 0 && progress.frames[frame] == 0)
        price += progress.cost[frame];
      before = frame;
      return is_new;
    });
    return price;
  }

  void count_frames(std::size_t c, std::size_t a, bool shown) {
    Progress& progress = progress_[c];
    std::size_t before = a;
    for_each_frame(*candidates_[c].analysis, a, [&](std::size_t frame) {
      const bool is_new = frame != before && frame != a;
      if (is_new) progress.frames[frame] += shown ? 1U : static_cast<std::uint32_t>(-1);
      before = frame;
      return is_new;
    });
  }

  double gain_of_atom(std::size_t c, std::size_t a) const {
    return candidates_[c].gain[a] * share_of_new(c, a) + gain_of_names(c, a);
  }

  // What is said again is worth little; with other numbers, less from the third time on.
  double share_of_new(std::size_t c, std::size_t a) const {
    if (is_repeated(c, a)) return room_.repeated;
    return 1 / static_cast<double>(std::max<std::size_t>(1, words_.times(progress_[c].pattern[a])));
  }

  bool is_repeated(std::size_t c, std::size_t a) const { return words_.has(progress_[c].wording[a]); }

  // Whether all that a candidate has to say is said by others.
  bool says_nothing_new(std::size_t c) const {
    const Progress& progress = progress_[c];
    if (progress.count > 0) return false;
    bool any = false;
    for (std::size_t a = 0; a < progress.cost.size(); ++a) {
      if (progress.wording[a] == 0) continue;
      if (!is_repeated(c, a)) return false;
      any = true;
    }
    return any;
  }

  double gain_of_rest(std::size_t c) const {
    const Candidate& candidate = candidates_[c];
    const Progress& progress = progress_[c];
    using Terms = std::unordered_set<Term, std::hash<Term>, std::equal_to<Term>, PoolAllocator<Term>>;
    NodePool memory;
    Terms said(&memory);
    Terms named(&memory);
    double sum = 0;
    for (std::size_t a = 0; a < progress.cost.size(); ++a) {
      if (progress.chosen[a] != 0) continue;
      const Term wording = progress.wording[a];
      const bool repeated = wording != 0 && (words_.has(wording) || !said.insert(wording).second);
      sum += candidate.gain[a] * (repeated ? room_.repeated : 1);
      if (candidate.name_gain.empty()) continue;
      for_each_name(c, a, [&](Term name) {
        if (names_.count(name) == 0 && named.insert(name).second) sum += candidate.name_gain[a];
      });
    }
    return sum;
  }

  double density(std::size_t c, std::size_t a) const {
    if (a == whole_dense) return gain_of_rest(c) / price(c, a);
    const std::size_t below = bare_without(c, a);
    return (gain_of_atom(c, a) + (below == no_atom ? 0 : gain_of_atom(c, below))) / price(c, a);
  }

  // A heading says nothing without what stands under it: what comes along where nothing of that is chosen.
  std::size_t bare_without(std::size_t c, std::size_t a) const {
    if (progress_[c].frames[a] != 0) return no_atom;
    const std::size_t below = first_below(*candidates_[c].analysis, a);
    return below == no_atom || progress_[c].chosen[below] != 0 ? no_atom : below;
  }

  template <class Visit>
  void for_each_name(std::size_t c, std::size_t a, Visit visit) const {
    const ItemAnalysis& item = *candidates_[c].analysis;
    for (std::uint32_t k = item.atom_token_begin[a]; k < item.atom_token_begin[a + 1]; ++k)
      if ((item.token_flags[k] & (term_identifier | term_part)) == term_identifier) visit(item.terms[item.tokens[k]]);
  }

  double gain_of_names(std::size_t c, std::size_t a) const {
    if (candidates_[c].name_gain.empty()) return 0;
    std::size_t count = 0;
    for_each_name(c, a, [&](Term name) { count += names_.count(name) == 0 ? 1 : 0; });
    return candidates_[c].name_gain[a] * static_cast<double>(count);
  }

  bool is_untrusted(std::size_t c) const { return candidates_[c].analysis->trust == Trust::untrusted; }

  // Untrusted text over its share waits as long as trusted text of at least its relevance has something left to add.
  bool is_capped(std::size_t c, double cost) const {
    if (!is_untrusted(c) || caps_lifted_) return false;
    const auto room = static_cast<double>(room_.tokens);
    if (progress_[c].spent + cost <= room_.untrusted_one * room &&
        untrusted_spent_ + cost <= room_.untrusted_all * room)
      return false;
    for (std::size_t t = 0; t < candidates_.size(); ++t)
      if (!is_untrusted(t) && candidates_[t].relevance >= candidates_[c].relevance &&
          progress_[t].count < progress_[t].cost.size())
        return true;
    return false;
  }

  bool is_over(const Step& step, double cost, double used) const {
    return used + cost > static_cast<double>(room_.tokens) || is_capped(step.candidate, cost);
  }

  std::vector<Taken> fill(double used) {
    std::vector<Taken> taken;
    std::vector<Step> set_aside;
    while (!queue_.empty() && static_cast<double>(room_.tokens) - used >= 3) {
      const Step step = queue_.pop();
      if (!is_open(step)) continue;
      const double now = density(step.candidate, step.atom);
      if (now <= 0) continue;
      if (now < step.density * 0.999999) {
        queue_.push({now, step.candidate, step.atom});
        continue;
      }
      const double cost = price(step.candidate, step.atom);
      if (is_over(step, cost, used)) {
        set_aside.push_back(step);
        continue;
      }
      used += cost;
      taken.push_back(take(step, cost));
      if (auto rest = small_rest(step.candidate, used)) {
        used += rest->price;
        take_again(*rest);
        taken.push_back(std::move(*rest));
      }
    }
    queue_.push_all(std::move(set_aside));
    return taken;
  }

  // What is begun is finished: a document of which half is chosen goes whole where the rest is small.
  std::optional<Taken> small_rest(std::size_t c, double used) const {
    const Progress& progress = progress_[c];
    if (candidates_[c].analysis->speaker != Speaker::document) return std::nullopt;
    Taken rest{{0, c, 0}, {}, progress.all - progress.own};
    const bool is_small = rest.price <= std::min(progress.own, small_rest_share * static_cast<double>(room_.tokens));
    if (!is_small || progress.count == progress.cost.size() || is_over(rest.step, rest.price, used))
      return std::nullopt;
    for (std::size_t a = 0; a < progress.cost.size(); ++a)
      if (progress.chosen[a] == 0) rest.atoms.push_back(a);
    return rest;
  }

  // Prices were estimates: what was taken last goes back until all fits, counted exactly. Returns how much stays.
  std::size_t keep_what_fits(const std::vector<Taken>& taken, double& used) {
    std::size_t kept = taken.size();
    const auto fits = [&](std::size_t count) {
      while (kept > count) take_back(taken[--kept]);
      while (kept < count) take_again(taken[kept++]);
      const std::int64_t exact = assemble().tokens;
      if (exact > room_.tokens) return false;
      used = static_cast<double>(exact);
      return true;
    };
    const std::size_t most = most_that_fit(taken.size(), fits);
    while (kept > most) take_back(taken[--kept]);
    while (kept < most) take_again(taken[kept++]);
    return most;
  }

  Taken take(const Step& step, double cost) {
    Progress& progress = progress_[step.candidate];
    Taken taken{step, {}, cost};
    if (step.atom < progress.cost.size()) {
      taken.atoms.push_back(step.atom);
      if (const auto below = bare_without(step.candidate, step.atom); below != no_atom) taken.atoms.push_back(below);
    }
    for (std::size_t a = 0; step.atom == whole_dense && a < progress.cost.size(); ++a)
      if (progress.chosen[a] == 0) taken.atoms.push_back(a);
    const bool first = progress.count == 0;
    take_again(taken);
    // The header is paid for: its other atoms are worth more now.
    if (first && progress.count > 0)
      offer_rest(step.candidate);
    else if (step.atom != whole_dense)
      offer_beside(step.candidate, step.atom);
    return taken;
  }

  void take_again(const Taken& taken) {
    const std::size_t c = taken.step.candidate;
    Progress& progress = progress_[c];
    spend(c, taken.price);
    for (const std::size_t a : taken.atoms) {
      progress.chosen[a] = 1;
      progress.own += progress.cost[a];
      count_frames(c, a, true);
      if (names_count_) for_each_name(c, a, [this](Term name) { ++names_[name]; });
      words_.add(progress.wording[a]);
      words_.add(progress.pattern[a]);
    }
    progress.count += taken.atoms.size();
  }

  void take_back(const Taken& taken) {
    Progress& progress = progress_[taken.step.candidate];
    for (const std::size_t a : taken.atoms) {
      progress.chosen[a] = 0;
      progress.own -= progress.cost[a];
      count_frames(taken.step.candidate, a, false);
      words_.remove(progress.wording[a]);
      words_.remove(progress.pattern[a]);
      if (!names_count_) continue;
      for_each_name(taken.step.candidate, a, [this](Term name) {
        if (--names_[name] == 0) names_.erase(name);
      });
    }
    progress.count -= taken.atoms.size();
    spend(taken.step.candidate, -taken.price);
  }

  void spend(std::size_t c, double cost) {
    progress_[c].spent += cost;
    if (is_untrusted(c)) untrusted_spent_ += cost;
  }

  Allotment render(std::size_t c) const {
    const Candidate& candidate = candidates_[c];
    const Progress& progress = progress_[c];
    AtomSet chosen = progress.chosen;
    complete_frames(*candidate.analysis, chosen);
    Allotment allotment{c, render_atoms(candidate.text, *candidate.analysis, chosen), ArtifactView::extract};
    if (std::count(chosen.begin(), chosen.end(), 0) > 0) return allotment;
    allotment.view = progress.dense.empty() ? ArtifactView::full : ArtifactView::dense;
    if (!progress.dense.empty()) allotment.rendered.text = progress.dense;
    return allotment;
  }

  Allocation assemble() const {
    Allocation result;
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      if (progress_[c].count > 0) order.push_back(c);
    std::sort(order.begin(), order.end(),
              [this](std::size_t a, std::size_t b) { return candidates_[a].item < candidates_[b].item; });
    std::string joined;
    std::size_t before = Candidate::nothing;
    for (const std::size_t c : order) {
      Allotment allotment = render(c);
      const bool joins = before != Candidate::nothing && candidates_[c].joins == before;
      const std::string_view header = joins ? std::string_view() : candidates_[c].header;
      before = candidates_[c].item;
      if (!joined.empty()) joined += room_.separator;
      if (!header.empty()) joined.append(header).append("\n");
      joined += allotment.rendered.text;
      result.chosen.push_back(std::move(allotment));
    }
    result.tokens = counter_.count(joined);
    return result;
  }

  const std::vector<Candidate>& candidates_;
  Room room_;
  const TokenCounter& counter_;
  std::vector<Progress> progress_;
  StepQueue queue_;
  ChosenWords words_;
  NodePool memory_;
  TermCounts names_{&memory_};  ///< Identifiers of what is chosen.
  bool names_count_ = false;    ///< Whether any candidate gains by them.
  double untrusted_spent_ = 0;
  bool caps_lifted_ = false;
};

}  // namespace

Allocation allocate(const std::vector<Candidate>& candidates, const Room& room, const TokenCounter& counter) {
  return Allocator(candidates, room, counter).run();
}

}  // namespace ctxmgr::engine
