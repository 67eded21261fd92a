#include "engine/summaries/leaves.hpp"

#include <algorithm>

#include "core/utf8.hpp"
#include "engine/summaries/summary_entry.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t longest_leaf_tokens = 20'000;
constexpr std::int64_t longest_leaf_summary = 2'400;
constexpr std::int64_t leaf_reduction = 8;  // A leaf's summary is this much shorter, in a small window, too.
constexpr std::int64_t shortest_segment_tokens = 2'000;
constexpr std::int64_t segment_part = 4;  // Of what is sent.
constexpr double usable_window = 0.75;
constexpr std::size_t bytes_per_token = 5;  // Where the search for a leaf's end begins: more than most texts have.
constexpr std::size_t least_leaf_bytes = 1'024;

}  // namespace

std::int64_t usable_tokens(std::int64_t window_tokens) {
  return static_cast<std::int64_t>(static_cast<double>(window_tokens) * usable_window);
}

std::int64_t leaf_tokens(std::int64_t usable_tokens) { return std::min(longest_leaf_tokens, usable_tokens); }

std::int64_t leaf_summary_tokens(std::int64_t usable_tokens) {
  return std::min(longest_leaf_summary, leaf_tokens(usable_tokens) / leaf_reduction);
}

std::int64_t segment_tokens(std::int64_t max_input_tokens) {
  return std::clamp(target_token_bucket(max_input_tokens / segment_part), shortest_segment_tokens, longest_leaf_tokens);
}

std::int64_t segment_summary_tokens(std::int64_t segment_tokens) { return leaf_summary_tokens(segment_tokens); }

std::vector<std::string> leaves_of(std::string_view content, std::int64_t leaf_size, const TokenCounter& counter) {
  std::vector<std::string> leaves;
  const auto most_bytes = std::max(least_leaf_bytes, static_cast<std::size_t>(leaf_size) * bytes_per_token);
  while (!content.empty()) {
    auto bytes = std::min(most_bytes, content.size());
    while (bytes > least_leaf_bytes && counter.count_up_to(content.substr(0, bytes), leaf_size) > leaf_size)
      bytes = bytes * 3 / 4;
    if (bytes < content.size()) {
      auto cut = content.find_last_of('\n', bytes - 1);
      if (cut == std::string_view::npos || cut < bytes / 2) cut = content.find_last_of(' ', bytes - 1);
      bytes = cut == std::string_view::npos || cut < bytes / 2
                  ? std::max<std::size_t>(utf8::floor_boundary(content, bytes), 1)
                  : cut + 1;
    }
    leaves.emplace_back(content.substr(0, bytes));
    content.remove_prefix(bytes);
  }
  return leaves;
}

}  // namespace ctxmgr::engine
