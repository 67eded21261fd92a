#include "view/pricing.hpp"

#include <algorithm>

namespace ctxpack::view {

namespace {

bool is_reported(const Step& step) { return step.usage.calls > 0 && step.usage.prompt_tokens > 0; }

std::int64_t input_of(const Step& step) { return step.receipt.input_tokens_used + step.receipt.tools_tokens; }

/// As a service's cache has it, whose shortest prefix the catalogue knows: what it does not have is written to it. Where the
/// catalogue knows of no cache, there is none.
ctxmgr::UsageMetadata with_cache(std::int64_t input, std::int64_t kept, const ctxmgr::ModelInfo& model) {
  const auto least = model.min_cached_prefix_tokens;
  ctxmgr::UsageMetadata usage;
  usage.prompt_tokens = input;
  usage.cached_prompt_tokens = least > 0 && kept >= least ? std::min(kept, input) : 0;
  usage.cache_write_tokens = least > 0 && input >= least ? input - usage.cached_prompt_tokens : 0;
  return usage;
}

/// Tools stand before the messages, and are kept where those are.
std::int64_t kept_of(const Step& step) {
  return step.receipt.prefix_tokens_kept > 0 ? step.receipt.prefix_tokens_kept + step.receipt.tools_tokens : 0;
}

}  // namespace

Cached cached_of(const Step& step, const ctxmgr::ModelInfo& model) {
  if (is_reported(step)) return {step.usage.cached_prompt_tokens, step.usage.prompt_tokens};
  return {with_cache(input_of(step), kept_of(step), model).cached_prompt_tokens, input_of(step)};
}

void price(Step& step, const Step* before, const ctxmgr::ModelCatalog& catalog) {
  const auto model = catalog.find(step.receipt.model_name);
  ctxmgr::UsageMetadata input = is_reported(step) ? step.usage : with_cache(input_of(step), kept_of(step), model);
  input.completion_tokens = 0;
  const auto everything =
      with_cache(step.receipt.include_all_tokens + step.receipt.tools_tokens,
                 before == nullptr ? 0 : before->receipt.include_all_tokens + before->receipt.tools_tokens, model);
  const auto cached = cached_of(step, model);
  step.cached_tokens = cached.tokens;
  step.input_tokens = cached.of;
  step.cost_usd = ctxmgr::cost_of(input, model).prompt_cost_usd;
  step.everything_usd = ctxmgr::cost_of(everything, model).prompt_cost_usd;
}

Summaries priced(const std::string& model, const ctxmgr::UsageMetadata& usage, const ctxmgr::ModelCatalog& catalog) {
  const auto info = catalog.find(model);
  Summaries summaries{model, usage, {}};
  const bool is_counted = usage.total_tokens() > 0;  // Some services report no tokens.
  if (is_counted && info.input_usd_per_token && info.output_usd_per_token)
    summaries.usd = ctxmgr::cost_of(usage, info).total_cost_usd();
  return summaries;
}

void add(Summaries& sum, const Summaries& more) {
  if (!more.are_there()) return;
  if (!sum.are_there()) {
    sum = more;
    return;
  }
  sum.usage = sum.usage + more.usage;
  sum.usd = sum.usd && more.usd ? std::optional(*sum.usd + *more.usd) : std::nullopt;
}

}  // namespace ctxpack::view
