#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::testing {

template <class T>
[[nodiscard]] bool failed_with(const Result<T>& result, ErrorCode code) {
  return !result && result.error().code == code;
}

/// Collects the promises that an implementation breaks.
class Promises {
 public:
  void expect(bool kept, std::string_view otherwise) {
    if (!kept) broken_.emplace_back(otherwise);
  }

  /// Runs one check; an exception that leaves it is a broken promise too.
  template <class Check>
  void check(std::string_view what, const Check& check) {
    try {
      check();
    } catch (...) {
      broken_.push_back(std::string(what) + " threw an exception");
    }
  }

  static constexpr std::size_t thread_count = 4;

  /// Runs one check in several threads at once, each with its number and promises of its own. Takes over the first that is
  /// broken.
  template <class Check>
  void check_in_threads(std::string_view what, const Check& check) {
    std::vector<Promises> of_threads(thread_count);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < thread_count; ++i)
      threads.emplace_back([&, i] { of_threads[i].check(what, [&] { check(of_threads[i], i); }); });
    for (auto& thread : threads) thread.join();
    for (const auto& own : of_threads)
      if (!own.broken_.empty()) return broken_.push_back(own.broken_.front());
  }

  [[nodiscard]] std::vector<std::string> take_broken() { return std::move(broken_); }

 private:
  std::vector<std::string> broken_;
};

}  // namespace ctxmgr::testing
