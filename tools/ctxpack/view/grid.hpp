#pragma once
#include <cstddef>
#include <string>

#include "ctxmgr/core/metadata.hpp"

namespace ctxpack::view {

/// What a terminal can show. Without either, the kinds are told apart by their letters.
struct TerminalStyle {
  bool colour = false;
  bool unicode = false;

  /// As the environment says: NO_COLOR, TERM, and LC_ALL, LC_CTYPE or LANG. `is_terminal`: somebody looks at it.
  [[nodiscard]] static TerminalStyle from_environment(bool is_terminal);
};

/// The window as ten rows of forty cells, each a share of the budget, and what they mean.
[[nodiscard]] std::string grid(const ctxmgr::ContextUtilizationMetadata& receipt, const TerminalStyle& style);

}  // namespace ctxpack::view
