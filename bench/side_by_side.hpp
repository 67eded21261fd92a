#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

namespace ctxmgr::bench {

/// `calls` times in each of `rounds` rounds.
struct Rounds {
  int rounds;
  int calls;
};

inline double round_of(int calls, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / calls;
}

/// Times what a program without us would do and what we do by turns, so that whatever else the machine does strikes both,
/// and prints the best round of each in microseconds a call, and how fast we are beside it.
inline void compare(const std::string& name, Rounds how, const std::function<void()>& bare,
                    const std::function<void()>& store) {
  double bare_best = std::numeric_limits<double>::max();
  double store_best = bare_best;
  for (int round = 0; round < how.rounds; ++round) {
    bare_best = std::min(bare_best, round_of(how.calls, bare));
    store_best = std::min(store_best, round_of(how.calls, store));
  }
  std::printf("%-20s bare %9.1f us   store %9.1f us   ratio %.2f (at least 0.80)\n", name.c_str(), bare_best,
              store_best, bare_best / store_best);
}

}  // namespace ctxmgr::bench
