#pragma once
#include <cstdint>

namespace ctxmgr {

/// Tokens that a service reported for one call or several.
struct UsageMetadata {
  std::int64_t prompt_tokens = 0;         ///< All input, whatever came from a cache included.
  std::int64_t cached_prompt_tokens = 0;  ///< Of those, read from the provider's prompt cache.
  std::int64_t cache_write_tokens = 0;    ///< Of those, written to it.
  std::int64_t completion_tokens = 0;
  std::int64_t calls = 0;

  [[nodiscard]] std::int64_t total_tokens() const { return prompt_tokens + completion_tokens; }
};

inline UsageMetadata operator+(const UsageMetadata& a, const UsageMetadata& b) {
  return {a.prompt_tokens + b.prompt_tokens, a.cached_prompt_tokens + b.cached_prompt_tokens,
          a.cache_write_tokens + b.cache_write_tokens, a.completion_tokens + b.completion_tokens, a.calls + b.calls};
}

/// What a usage costs, in USD; zero where the catalogue has no price.
struct CostMetadata {
  double prompt_cost_usd = 0;
  double completion_cost_usd = 0;

  [[nodiscard]] double total_cost_usd() const { return prompt_cost_usd + completion_cost_usd; }
};

}  // namespace ctxmgr
