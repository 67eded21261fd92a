#pragma once
#include <string>
#include <string_view>
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

  [[nodiscard]] std::vector<std::string> take_broken() { return std::move(broken_); }

 private:
  std::vector<std::string> broken_;
};

}  // namespace ctxmgr::testing
