#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/engine/context_manager_options.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/engine/summary_cache.hpp"
#include "engine/build/analysis_cache.hpp"
#include "engine/build/list_memo.hpp"
#include "engine/planning/failed_summaries.hpp"
#include "engine/selection/embedding_run.hpp"

namespace ctxmgr::engine {

/// What the builds of one manager share. Thread-safety: all of it may be used from several threads at once.
struct BuildServices {
  explicit BuildServices(ContextManagerOptions given);

  /// The counter for a model, by the vocabulary that the catalogue names; never null.
  [[nodiscard]] const TokenCounter& counter_for(const ModelInfo& model) const;

  /// Whether summaries of a scope are kept: without one, in this process alone.
  [[nodiscard]] bool keeps_summaries(std::string_view scope) const {
    return !scope.empty() || options.summary_store == nullptr;
  }

  /// Tells the observer, if there is one, whatever it does.
  void tell(EventKind kind, std::string_view scope, std::vector<EventField> fields) const;

  ContextManagerOptions options;
  Retriever retriever;
  SummaryCache summaries;
  mutable FailedSummaries failed_summaries;
  mutable AnalysisCache analyses;
  mutable ListMemo lists;
  mutable VectorMemo vectors;
};

}  // namespace ctxmgr::engine
