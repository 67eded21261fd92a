#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ctxmgr/core/error.hpp"

namespace ctxpack {

/// Signals that a program which started another one passes on to it. Made before there are threads, which would take them.
class PassedSignals {
 public:
  PassedSignals();
  PassedSignals(const PassedSignals&) = delete;
  PassedSignals& operator=(const PassedSignals&) = delete;
  ~PassedSignals();

  /// Starts a program, found as the shell finds it, with these variables set beside the environment, and waits for its end.
  /// Returns its exit code, or 128 and the signal that ended it, as shells do. `not_found` where there is no such program,
  /// `denied` where it cannot be run.
  [[nodiscard]] ctxmgr::Result<int> run(const std::vector<std::string>& command,
                                        const std::vector<std::pair<std::string, std::string>>& variables);

 private:
  struct Masks;
  const std::unique_ptr<Masks> masks_;
};

}  // namespace ctxpack
