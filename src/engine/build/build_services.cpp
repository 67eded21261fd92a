#include "engine/build/build_services.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "ports/checked_token_counter.hpp"
#include "ports/estimate_by_kind.hpp"

namespace ctxmgr::engine {
namespace {

ContextManagerOptions with_defaults(ContextManagerOptions options) {
  if (!options.clock) options.clock = make_system_clock();
  for (auto& counter : options.token_counters)
    if (counter) counter = make_checked_token_counter(std::move(counter));  // A build refuses one that is null.
  return options;
}

/// For models without a counter.
const TokenCounter& estimates_of(VocabularyFamily family) {
  static const auto counters = [] {
    std::array<std::shared_ptr<TokenCounter>, vocabulary_families> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = make_estimating_counter(static_cast<VocabularyFamily>(i));
    return all;
  }();
  return *counters[static_cast<std::size_t>(family)];
}

/// An eighth of the memory is for the chunks and terms of single artifacts, the rest for threads and artifact lists: the
/// index of a thread is made anew as a whole where it has no place.
std::size_t retriever_cache_bytes(const ContextManagerOptions& options) { return options.analysis_cache_bytes / 8; }

SummaryCacheOptions cache_options(const ContextManagerOptions& options) {
  return {options.summary_store, options.summary_ttl, options.clock, options.observer, options.summary_secret};
}

}  // namespace

BuildServices::BuildServices(ContextManagerOptions given)
    : options(with_defaults(std::move(given))),
      retriever(retriever_cache_bytes(options)),
      summaries(cache_options(options)),
      analyses(options.analysis_cache_bytes - retriever_cache_bytes(options)),
      lists(options.analysis_cache_bytes),
      vectors(options.embedder ? options.analysis_cache_bytes / 2 : 0) {}

const TokenCounter& BuildServices::counter_for(const ModelInfo& model) const {
  const TokenCounter* any_model = nullptr;
  for (const auto& counter : options.token_counters) {
    if (!counter) continue;
    const auto tokenizer = counter->info().tokenizer;
    if (model.model.empty() || (!tokenizer.empty() && tokenizer == model.tokenizer)) return *counter;
    if (tokenizer.empty() && any_model == nullptr) any_model = counter.get();
  }
  if (any_model != nullptr) return *any_model;
  // Of a client's own model, which has no name here, not even the family is known.
  static const auto of_no_model = make_approximate_token_counter();
  return model.model.empty() ? *of_no_model : estimates_of(vocabulary_family(model.model));
}

void BuildServices::tell(EventKind kind, std::string_view scope, std::vector<EventField> fields) const {
  if (!options.observer) return;
  try {
    options.observer->on_event({kind, scope, std::move(fields)});
  } catch (...) {
    // An observer that breaks its contract hears nothing of it, and neither does the build.
  }
}

}  // namespace ctxmgr::engine
