#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {

/// What the user said in a message that is not shown.
struct SaidWords {
  std::size_t message = 0;
  std::string text{};
  std::vector<std::string> rules{};  ///< Its sentences that instruct. A message that has some is the last to go.
  bool may_be_pasted = false;        ///< It may hold text of others.
};

/// The rules that do not stand in the text, shortest first as far as there is room for them, in their order.
[[nodiscard]] std::string rules_missing_in(std::string_view text, const std::vector<std::string>& rules,
                                           std::size_t most_bytes = 480);

/// As much of it as there is room for, in its order. Everything word for word, if it fits. Else long messages become head and tail with
/// their rules, shorter by steps; then the oldest in the middle go: rules stay longest, the shorter the longer, then the first message.
/// Of equal texts, and of long ones that differ in digits only, the newest stays. Pure.
[[nodiscard]] std::vector<SaidWords> fit_said_words(std::vector<SaidWords> said, std::int64_t limit,
                                                    const TokenCounter& counter);

}  // namespace ctxmgr::engine
