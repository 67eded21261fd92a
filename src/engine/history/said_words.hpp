#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {

/// What the user said in a message that is not shown.
struct SaidWords {
  std::size_t message = 0;
  std::string text{};
  bool is_rule = false;        ///< It has a sentence that instructs: the last to go.
  bool may_be_pasted = false;  ///< It may hold text of others.
};

/// As much of it as there is room for, in its order. Everything word for word, if it fits. Else long messages become head and tail,
/// shorter by steps; then the oldest in the middle go: the first message and rules stay longest. Of equal texts the newest stays.
/// Pure.
[[nodiscard]] std::vector<SaidWords> fit_said_words(std::vector<SaidWords> said, std::int64_t limit,
                                                    const TokenCounter& counter);

}  // namespace ctxmgr::engine
