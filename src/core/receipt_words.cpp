#include "ctxmgr/core/receipt_words.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ctxmgr {
namespace {

/// The gate's reasons and what is added to them, by code. `include/ctxmgr/engine/planning_gate.hpp` has the table.
constexpr std::pair<std::string_view, std::string_view> reason_words[] = {
    {"no_artifacts", "there is nothing to choose from"},
    {"small_and_fits", "everything is small and fits"},
    {"historical_artifacts", "documents of earlier turns take part"},
    {"fits_with_buffer", "everything fits with room to spare"},
    {"near_or_over_limit", "not everything fits easily"},
    {"expensive_primary", "the model is expensive"},
    {"large_artifact", "a document is large"},
    {"costs_more_than_it_saves", "a model's plan costs more than it saves"},
    {"cheap", "a model's plan would save little"},
    {"no_time", "there is no time to ask a model"},
    {"planner_too_small", "the model that plans is too small for it"},
    {"llm_requested", "a model's plan is asked for"},
    {"llm_forbidden", "no model may plan"}};
constexpr std::pair<std::string_view, std::string_view> addition_words[] = {
    {" (no client)", ", and there is no model to ask"},
    {" (no calls allowed)", ", and no calls are allowed"},
    {" (price_unknown)", ", and the price is not known"}};

}  // namespace

std::string plan_reason_in_words(std::string_view reason) {
  const std::string_view code = reason.substr(0, reason.find_first_of(" :"));
  const std::string_view addition = reason.substr(code.size());
  const auto of_code = [&](const auto& row) { return row.first == code; };
  const auto* const known = std::find_if(std::begin(reason_words), std::end(reason_words), of_code);
  if (known == std::end(reason_words)) return std::string(reason);
  const auto of_addition = [&](const auto& row) { return row.first == addition; };
  const auto* const added = std::find_if(std::begin(addition_words), std::end(addition_words), of_addition);
  return std::string(known->second).append(added == std::end(addition_words) ? addition : added->second);
}

std::string_view form_in_words(const ArtifactUsageRecord& record) {
  switch (record.strategy) {
    case ProcessingStrategy::include_full: return "whole";
    case ProcessingStrategy::summarize: return "summary";
    case ProcessingStrategy::rag_extract: return "extract";
    case ProcessingStrategy::exclude: return record.processed_tokens > 0 ? "one line" : "not sent";
  }
  return "unknown";
}

}  // namespace ctxmgr
