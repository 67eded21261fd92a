#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cases.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/token_counter.hpp"

/// \file
/// Whole builds of recorded questions: what `ContextManager` sends for them under default options.
namespace ctxpack {

/// Builds what a host would send for a case, and takes from it what was chosen. A message counts as its rendered text,
/// without framing; system messages, pins and the question cost nothing.
class WholeBuilds {
 public:
  /// `with_planner`: a planner that knows where the evidence is decides what is sent, so that what is lost is lost in
  /// carrying its plan out. `embedder` may be null.
  WholeBuilds(std::unique_ptr<ctxmgr::TokenCounter> texts, bool with_planner,
              std::shared_ptr<ctxmgr::Embedder> embedder);

  /// All text that is sent but system messages, pins and the question, frames included; at most `budget` tokens.
  [[nodiscard]] ctxmgr::Result<std::string> build(const CaseRows& rows, std::int64_t budget) const;

 private:
  struct Evidence;

  std::shared_ptr<const ctxmgr::TokenCounter> counter_;
  std::shared_ptr<Evidence> evidence_;  ///< Null without a planner.
  ctxmgr::ContextManager manager_;
};

}  // namespace ctxpack
