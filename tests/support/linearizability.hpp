#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ctxmgr::testing {

/// One call on a key and its answer, plain enough for shared memory. Versions are 0 where the key was absent.
struct Operation {
  enum class Kind : std::uint8_t { get, list, set, set_if, erase, erase_if };

  Kind kind = Kind::get;
  bool failed = false;       ///< With anything but a conflict.
  bool conflict = false;     ///< Of set_if and erase_if.
  std::int64_t invoked = 0;  ///< Of one clock for all workers.
  std::int64_t returned = 0;
  std::uint64_t expected = 0;  ///< Of set_if and erase_if: a version.
  std::uint64_t version =
      0;  ///< Of get: what was read. Of list: not 0 if it was listed. Of set and set_if: what was given.
  std::uint64_t value = 0;  ///< Read or written: a number.
};

/// The calls of one worker, one after the other.
using Calls = std::vector<Operation>;

/// Whether the calls of several workers on one key can be put into an order that a single store with a single caller
/// would have answered in the same way, and in which no call comes before one that had returned when it was invoked
/// (Wing and Gong, "Testing and Verifying Concurrent Objects", 1993; configurations are remembered, after Lowe).
class LinearizabilityChecker {
 public:
  explicit LinearizabilityChecker(std::vector<Calls> workers) : workers_(std::move(workers)) {}

  [[nodiscard]] bool passes() {
    seen_.clear();
    return can_go_on(std::vector<std::size_t>(workers_.size()), {});
  }

 private:
  struct State {
    std::uint64_t version = 0;
    std::uint64_t value = 0;
    friend auto operator<=>(const State&, const State&) = default;
  };
  using Positions = std::vector<std::size_t>;  // how many calls of each worker have their place

  /// The state after a call; nullopt if the store could not have given that answer.
  static std::optional<State> after(const Operation& call, const State& state) {
    const bool matches = call.expected == state.version;
    const bool is_read = call.version == state.version && (call.version == 0 || call.value == state.value);
    switch (call.kind) {
      case Operation::Kind::get: return is_read ? std::optional(state) : std::nullopt;
      case Operation::Kind::list:
        return (call.version != 0) == (state.version != 0) ? std::optional(state) : std::nullopt;
      case Operation::Kind::set: return State{call.version, call.value};
      case Operation::Kind::erase: return State{};
      case Operation::Kind::set_if:
      case Operation::Kind::erase_if:
        if (call.conflict == matches) return std::nullopt;
        if (call.conflict) return state;
        return call.kind == Operation::Kind::set_if ? State{call.version, call.value} : State{};
    }
    return std::nullopt;
  }

  [[nodiscard]] const Operation* next(const Positions& at, std::size_t worker) const {
    return at[worker] < workers_[worker].size() ? &workers_[worker][at[worker]] : nullptr;
  }

  /// The workers whose next call may come now: none that is without its place had returned before it was invoked. Those
  /// that return first come first.
  [[nodiscard]] std::vector<std::size_t> minimal(const Positions& at) const {
    auto horizon = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (const auto* call = next(at, i)) horizon = std::min(horizon, call->returned);
    }
    std::vector<std::size_t> workers;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (const auto* call = next(at, i); call && call->invoked <= horizon) workers.push_back(i);
    }
    std::sort(workers.begin(), workers.end(),
              [&](std::size_t a, std::size_t b) { return next(at, a)->returned < next(at, b)->returned; });
    return workers;
  }

  bool can_go_on(Positions at, const State& state) {
    auto workers = minimal(at);
    // What changes nothing and fits has its place here, without a choice: any order that has it later allows this.
    for (std::size_t i = 0; i < workers.size(); ++i) {
      const auto* call = next(at, workers[i]);
      if (after(*call, state) != state || !changes_nothing(*call)) continue;
      ++at[workers[i]];
      return can_go_on(std::move(at), state);
    }
    if (workers.empty()) return true;
    if (!seen_.emplace(at, state).second) return false;
    for (const auto worker : workers) {
      const auto changed = after(*next(at, worker), state);
      if (!changed) continue;
      auto further = at;
      ++further[worker];
      if (can_go_on(std::move(further), *changed)) return true;
    }
    return false;
  }

  static bool changes_nothing(const Operation& call) {
    return call.conflict || call.kind == Operation::Kind::get || call.kind == Operation::Kind::list;
  }

  std::vector<Calls> workers_;
  std::set<std::pair<Positions, State>> seen_;  // led nowhere
};

}  // namespace ctxmgr::testing
