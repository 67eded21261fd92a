#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {

/// Of a summariser's window, what a source may take. The rest is for instructions, the reply, and a counter that is not the
/// model's.
[[nodiscard]] std::int64_t usable_tokens(std::int64_t window_tokens);

/// Sources that do not fit into the usable window are cut into leaves of this size,
[[nodiscard]] std::int64_t leaf_tokens(std::int64_t usable_tokens);

/// and so long is a summary of each.
[[nodiscard]] std::int64_t leaf_summary_tokens(std::int64_t usable_tokens);

/// A conversation is summarised in segments of this size, each once and for every later question: a quarter of what is sent,
/// so that a summary of the oldest stays as long as the thread, and the end that still grows is short. From 2 000 to
/// 20 000, and the same where a budget moves a little.
[[nodiscard]] std::int64_t segment_tokens(std::int64_t max_input_tokens);

/// How long a summary of a segment is.
[[nodiscard]] std::int64_t segment_summary_tokens(std::int64_t segment_tokens);

/// From the oldest end, so that the leaves of a text that grows stay the same and stay cached: cut at the last line break,
/// else blank, else character that keeps a leaf within its size. Where a leaf ends depends on what stands before, never on how
/// much follows.
[[nodiscard]] std::vector<std::string> leaves_of(std::string_view content, std::int64_t leaf_size,
                                                 const TokenCounter& counter);

}  // namespace ctxmgr::engine
