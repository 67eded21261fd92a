#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// How an artifact is sent. Stored in plans and receipts by name: frozen.
enum class ProcessingStrategy {
  include_full,  ///< The whole content, under a one-line header.
  summarize,     ///< A model's summary, with a focus.
  rag_extract,   ///< The passages that answer a query, in document order.
  exclude,       ///< Nothing, or one line in the index of texts that were left out.
};

/// The decision on one artifact.
struct ArtifactDecision {
  std::string artifact_id{};
  ProcessingStrategy strategy = ProcessingStrategy::exclude;
  int priority = 1;  ///< 1 is served first when room runs short.
  std::string relevance_rationale{};
  std::string summarization_focus{};  ///< The subject of a summary; empty: the query.
  std::string extraction_query{};     ///< The question that an extract answers; empty: the query.
  std::int64_t target_tokens = 0;     ///< Length aimed at; 0: left to ctxmgr.
};

/// The decisions on all artifacts of a context. It may come from a model, from the deterministic planner or from the
/// host; it is repaired before use, so that whatever it says, it cannot break the budget.
struct ArtifactPlan {
  std::vector<ArtifactDecision> artifacts{};  ///< The decisions in order of priority.
  std::string reasoning{};
};

[[nodiscard]] CTXMGR_API std::string_view to_string(ProcessingStrategy strategy);

}  // namespace ctxmgr
