#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {

/// One artifact's text in the block before the question.
struct BlockEntry {
  std::size_t item = 0;  ///< Which artifact.
  std::string header{};
  std::string text{};
};

/// One line of the index: what is shortened or left out and can be read.
struct IndexLine {
  std::size_t item = 0;
  std::string text{};
};

inline constexpr std::string_view index_heading = "## Not whole";

/// The user-role message with all artifacts, excerpts of older turns, and the index. Everything in it is data.
struct DataBlock {
  std::vector<BlockEntry> entries{};
  std::vector<IndexLine> index{};
  std::size_t not_listed = 0;  ///< Further artifacts that can be read; 0 where there is no room to say so.

  [[nodiscard]] bool empty() const { return entries.empty() && index.empty(); }
};

/// The fence is derived from what it encloses: the same content gives the same bytes, and no content can contain it.
[[nodiscard]] ConversationMessage render(const DataBlock& block);

/// The line above an artifact: its title, or the call that gave it; whether a model summarised it. What is an extract shows
/// by its omission marks.
[[nodiscard]] std::string header_of(const Artifact& artifact, ProcessingStrategy strategy);

/// Its line in the index, with how to read it.
[[nodiscard]] std::string index_line(const Artifact& artifact, std::int64_t full_tokens, std::string_view reference);

/// What an empty block counts: fence, introduction and framing.
[[nodiscard]] std::int64_t block_overhead_tokens(const TokenCounter& counter);

/// The steps of the current turn as one user-role message of data: thoughts, calls, errors in full, and for each
/// successful result the text given for it, in order; the first `skip` steps are left out.
[[nodiscard]] ConversationMessage render_steps(const std::vector<ReasoningStepRecord>& steps, std::size_t skip,
                                               const std::vector<std::string>& result_texts);

}  // namespace ctxmgr::engine
