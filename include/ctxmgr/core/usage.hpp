#pragma once
#include <cstdint>
#include <limits>

namespace ctxmgr {

/// Tokens that a service reported for one call or several. A service may report anything: in sums, what is below zero
/// is 0, and they stop at the largest number.
struct UsageMetadata {
  std::int64_t prompt_tokens = 0;         ///< All input, whatever came from a cache included.
  std::int64_t cached_prompt_tokens = 0;  ///< Prompt tokens read from the provider's prompt cache.
  std::int64_t cache_write_tokens = 0;    ///< Prompt tokens written to that cache.
  std::int64_t completion_tokens = 0;
  std::int64_t calls = 0;

  [[nodiscard]] std::int64_t total_tokens() const { return sum(prompt_tokens, completion_tokens); }

  friend UsageMetadata operator+(const UsageMetadata& a, const UsageMetadata& b) {
    return {sum(a.prompt_tokens, b.prompt_tokens), sum(a.cached_prompt_tokens, b.cached_prompt_tokens),
            sum(a.cache_write_tokens, b.cache_write_tokens), sum(a.completion_tokens, b.completion_tokens),
            sum(a.calls, b.calls)};
  }

 private:
  static constexpr std::int64_t sum(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (a < 0) a = 0;
    if (b < 0) b = 0;
    return a > Limits::max() - b ? Limits::max() : a + b;
  }
};

/// What a usage costs, in USD; zero where the catalogue has no price.
struct CostMetadata {
  double prompt_cost_usd = 0;
  double completion_cost_usd = 0;

  [[nodiscard]] double total_cost_usd() const { return prompt_cost_usd + completion_cost_usd; }
};

}  // namespace ctxmgr
