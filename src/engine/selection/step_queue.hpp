#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace ctxmgr::engine {

/// A step that is not about one atom: the whole, written shorter.
inline constexpr std::size_t whole_dense = std::numeric_limits<std::size_t>::max();

/// An atom of a candidate that may be taken.
struct Step {
  double density = 0;
  std::size_t candidate = 0;
  std::size_t atom = 0;  ///< Or the above.

  bool operator<(const Step& other) const {
    if (density != other.density) return density < other.density;
    if (candidate != other.candidate) return candidate > other.candidate;
    return atom > other.atom;
  }
};

/// Steps, the best first. Many at once are sorted as a run, since a heap of them all is slow where it is large: the heap
/// has the first of each run only.
class StepQueue {
 public:
  void push(const Step& step) { heads_.push({step, no_run}); }

  void push_all(std::vector<Step> steps) {
    if (steps.empty()) return;
    std::sort(steps.begin(), steps.end());
    runs_.push_back(std::move(steps));
    offer_next(runs_.size() - 1);
  }

  [[nodiscard]] bool empty() const { return heads_.empty(); }

  Step pop() {
    const Head head = heads_.top();
    heads_.pop();
    if (head.run != no_run) offer_next(head.run);
    return head.step;
  }

 private:
  static constexpr std::size_t no_run = std::numeric_limits<std::size_t>::max();

  struct Head {
    Step step;
    std::size_t run = no_run;

    bool operator<(const Head& other) const { return step < other.step; }
  };

  void offer_next(std::size_t run) {
    if (runs_[run].empty()) return;
    heads_.push({runs_[run].back(), run});
    runs_[run].pop_back();
  }

  std::vector<std::vector<Step>> runs_;  ///< Each ascending.
  std::priority_queue<Head> heads_;
};

}  // namespace ctxmgr::engine
