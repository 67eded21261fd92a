#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/ports/token_counter.hpp"

/// \file
/// The search that people write themselves: passages of about 400 characters by BM25, the best into a block. A baseline
/// to compare with; nothing of the library's own.
namespace ctxpack {

struct Passage {
  std::string text{};
  std::map<std::string, int> words{};
  int length = 0;  ///< In words.
};

/// A text in passages of whole lines; the heading is searched with each of them, and its beginning shown.
[[nodiscard]] std::vector<Passage> passages_of(std::string_view heading, std::string_view text);

/// The best passages for a question, in at most so many tokens; empty where none has a word of it.
[[nodiscard]] std::string best_passages(const std::vector<const Passage*>& passages, std::string_view question,
                                        std::int64_t tokens, const ctxmgr::TokenCounter& counter);

}  // namespace ctxpack
