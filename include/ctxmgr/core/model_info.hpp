#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace ctxmgr {

/// The catalogue's facts on a model. A price that is not set is unknown, which is not the same as free.
struct ModelInfo {
  std::string model{};
  std::int64_t context_window_tokens = 128'000;
  std::int64_t max_output_tokens = 4'096;
  std::optional<double> input_usd_per_token{};
  std::optional<double> output_usd_per_token{};
  std::optional<double> cached_input_usd_per_token{};  ///< Unset: as `input_usd_per_token`.
  std::optional<double> cache_write_usd_per_token{};   ///< Unset: as `input_usd_per_token`.
  std::int64_t min_cached_prefix_tokens = 0;           ///< The provider caches no shorter prefix; 0: none at all.
  std::string tokenizer{};  ///< Vocabulary, as `TokenCounterInfo` names it ("o200k_base"); empty: not known.
  std::string provider{};   ///< "openai", "anthropic", …; empty: not known.
  bool known = false;       ///< False: these are the defaults for a model that the catalogue does not have.
};

}  // namespace ctxmgr
