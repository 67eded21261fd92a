#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cases.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/ports/token_counter.hpp"

/// \file
/// Whole builds of recorded questions: what `ContextManager` sends for them under default options.
namespace ctxpack {

/// Builds what a host would send for a case, and takes from it what was chosen. A message counts as its rendered text,
/// without framing; system messages, pins and the question cost nothing.
class WholeBuilds {
 public:
  explicit WholeBuilds(std::unique_ptr<ctxmgr::TokenCounter> texts);

  /// All text that is sent but system messages, pins and the question, frames included; at most `budget` tokens.
  [[nodiscard]] ctxmgr::Result<std::string> build(const CaseRows& rows, std::int64_t budget) const;

 private:
  std::shared_ptr<ctxmgr::TokenCounter> counter_;
  ctxmgr::ContextManager manager_;
};

}  // namespace ctxpack
