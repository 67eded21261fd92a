#include <algorithm>
#include <utility>

#include "core/utf8.hpp"
#include "engine/build/build_state.hpp"
#include "engine/build/data_block.hpp"

namespace ctxmgr::engine {
namespace {

std::int64_t chars_of(std::string_view text) { return static_cast<std::int64_t>(utf8::count_code_points(text)); }

const BlockEntry* entry_of(const DataBlock& block, std::size_t item) {
  const auto found = std::find_if(block.entries.begin(), block.entries.end(),
                                  [&](const BlockEntry& entry) { return entry.item == item; });
  return found == block.entries.end() ? nullptr : &*found;
}

ArtifactUsageRecord record_of(const Artifact& artifact, std::int64_t original_tokens) {
  ArtifactUsageRecord record;
  record.artifact_id = artifact.artifact_id;
  record.source = artifact.source;
  record.artifact_type = artifact.artifact_type;
  record.trust = artifact.trust;
  record.original_size_chars = chars_of(artifact.content);
  record.original_tokens = original_tokens;
  return record;
}

void count(const ArtifactUsageRecord& record, ContextUtilizationMetadata& metadata) {
  ++metadata.artifacts_total;
  if (record.strategy == ProcessingStrategy::include_full)
    ++metadata.artifacts_included;
  else if (record.strategy == ProcessingStrategy::exclude)
    ++metadata.artifacts_excluded;
  else
    ++metadata.artifacts_transformed;
}

}  // namespace

ContextUtilizationMetadata BuildState::receipt(const Assembly& assembly) const {
  ContextUtilizationMetadata metadata;
  metadata.model_name = request_.models.primary;
  metadata.strategy = request_.budget.utilization;
  metadata.goal = context_.goal;
  metadata.model_max_tokens = budget_.context_window;
  metadata.max_input_tokens = budget_.max_input;
  metadata.input_tokens_used = input_tokens_;
  metadata.tools_tokens = budget_.tools;
  metadata.fixed_tokens = budget_.fixed;
  metadata.tokens_exact = counter_->info().exact;
  metadata.messages_included = assembly.included;
  metadata.messages_excluded = context_.conversation_history.size() - assembly.included;
  metadata.plan_source = plan_source_;
  metadata.llm_planning_used = plan_source_ == PlanSource::llm;
  metadata.plan_reason = plan_reason_;
  metadata.plan_repairs = repairs_;
  metadata.notes = notes_;
  if (request_.scope.empty() && execution_->cache_stats().misses > 0)
    metadata.notes.emplace_back("summaries are shared with no other build: no scope is set");
  if (counter_->info().faulty)
    metadata.notes.emplace_back("the token counter gave counts that no text has: they were estimated instead");
  for (const auto& note : metadata.notes) tell(EventKind::warning, {{"text", std::string_view(note)}});
  add_breakdown(assembly, metadata);
  add_records(metadata);
  add_costs(metadata);
  metadata.cache_stats = execution_->cache_stats();
  for (const auto end : {assembly.leading, assembly.stable, assembly.messages.size()}) {
    if (end > 0 && (metadata.cache_breakpoints.empty() || metadata.cache_breakpoints.back() < end - 1))
      metadata.cache_breakpoints.push_back(end - 1);
  }
  return metadata;
}

void BuildState::add_breakdown(const Assembly& assembly, ContextUtilizationMetadata& metadata) const {
  auto& breakdown = metadata.breakdown;
  breakdown.overhead_tokens = reply_priming_tokens;
  for (std::size_t i = 0; i < assembly.messages.size(); ++i) {
    const auto tokens = counter_->count_message(assembly.messages[i]);
    if (i == assembly.block_at || i == assembly.steps_at) {
      breakdown.artifact_tokens += tokens;
      continue;
    }
    switch (assembly.messages[i].role) {
      case Role::system:
      case Role::developer: breakdown.system_tokens += tokens; break;
      case Role::user: breakdown.user_tokens += tokens; break;
      case Role::assistant: breakdown.assistant_tokens += tokens; break;
      case Role::tool: breakdown.tool_tokens += tokens; break;
    }
  }
}

/// One record for each artifact, for the messages before the cut, and for each result that was shortened in place.
void BuildState::add_records(ContextUtilizationMetadata& metadata) const {
  for (std::size_t i = 0; i < gathered_.items.size(); ++i) metadata.artifacts_processed.push_back(item_record(i));
  for (const auto& item : gathered_.inline_items) metadata.artifacts_processed.push_back(inline_record(item));
  if (older_) metadata.artifacts_processed.push_back(older_record());
  add_shortened_results(metadata);
  for (const auto& record : metadata.artifacts_processed) {
    count(record, metadata);
    if (record.strategy == ProcessingStrategy::include_full) continue;
    tell(EventKind::artifact_shortened, {{"artifact_id", std::string_view(record.artifact_id)},
                                         {"strategy", to_string(record.strategy)},
                                         {"tokens_before", record.original_tokens},
                                         {"tokens_after", record.processed_tokens}});
  }
}

/// What is sent of an item; null where it is nothing but a line.
const std::string* BuildState::shown_text(std::size_t item) const {
  if (gathered_.items[item].place == Place::steps) {
    const auto step = static_cast<std::size_t>(gathered_.items[item].artifact - gathered_.step_artifacts.data());
    return parts_.step_results[step].empty() ? nullptr : &parts_.step_results[step];
  }
  const auto* entry = entry_of(parts_.block, item);
  return entry ? &entry->text : nullptr;
}

bool BuildState::is_whole(std::size_t item) const {
  return texts_[item].strategy == ProcessingStrategy::include_full && shown_text(item) != nullptr;
}

ArtifactUsageRecord BuildState::item_record(std::size_t item) const {
  auto record = record_of(*gathered_.items[item].artifact, artifacts_->tokens(item));
  record.original_size_chars = artifacts_->chars(item);
  if (!is_whole(item)) record.reference = references_[item];
  record.reason = texts_[item].reason.empty() ? decisions_[item].relevance_rationale : texts_[item].reason;
  const auto* shown = shown_text(item);
  if (shown == nullptr) {
    if (texts_[item].strategy != ProcessingStrategy::exclude) record.reason = "left out to fit the budget";
    return record;
  }
  record.strategy = texts_[item].strategy;
  record.processed_size_chars = chars_of(*shown);
  record.processed_tokens = texts_[item].tokens;
  record.cache_hit = texts_[item].cache_hit;
  return record;
}

/// An inline artifact is what its message is.
ArtifactUsageRecord BuildState::inline_record(const Item& item) const {
  auto record = record_of(*item.artifact, thread_->tokens_of(item.message));
  const bool fixed = suffixes_->is_fixed(thread_->group_of(item.message));
  const bool sent = fixed || item.message >= parts_.suffix.cut;
  const auto extract = parts_.suffix.extracts.find(item.message);
  const bool extracted = extract != parts_.suffix.extracts.end();
  const ShortenedMessage* shown = nullptr;
  if (sent && !fixed && extracted)
    shown = &views_->extracted(item.message, extract->second);
  else if (sent && !fixed && item.message < parts_.suffix.mask_before)
    shown = &views_->masked(item.message);
  const bool shortened = shown != nullptr && shown->shorter;
  record.reason = "inline: it is the message at position " + std::to_string(item.message);
  record.strategy = !sent        ? ProcessingStrategy::exclude
                    : !shortened ? ProcessingStrategy::include_full
                    : extracted  ? ProcessingStrategy::rag_extract
                                 : ProcessingStrategy::exclude;
  if (!sent) return record;
  record.processed_tokens = shortened ? shown->tokens : record.original_tokens;
  record.processed_size_chars = shortened ? chars_of(text_of(shown->message)) : record.original_size_chars;
  if (shortened) record.reference = shown->reference;
  return record;
}

ArtifactUsageRecord BuildState::older_record() const {
  const auto item = gathered_.items.size();
  auto record = record_of(*older_, full_tokens(item));
  const auto* entry = entry_of(parts_.block, item);
  record.reason = "messages before the newest part of the history";
  if (entry == nullptr) return record;
  const bool summary = texts_.size() > item && texts_[item].strategy == ProcessingStrategy::summarize;
  record.strategy = summary ? ProcessingStrategy::summarize : ProcessingStrategy::rag_extract;
  record.processed_size_chars = chars_of(entry->text);
  record.processed_tokens = counter_->count(entry->text);
  if (summary) record.cache_hit = texts_[item].cache_hit;
  return record;
}

void BuildState::add_shortened_results(ContextUtilizationMetadata& metadata) const {
  const auto& messages = context_.conversation_history;
  const auto& suffix = parts_.suffix;
  const auto last_extract = suffix.extracts.empty() ? 0 : suffix.extracts.rbegin()->first + 1;
  const auto last = std::min(messages.size(), std::max(suffix.mask_before, last_extract));
  for (std::size_t i = suffix.cut; i < last; ++i) {
    const bool extract = suffix.extracts.contains(i);
    if (messages[i].role != Role::tool || suffixes_->is_fixed(thread_->group_of(i)) ||
        (!extract && i >= suffix.mask_before))
      continue;
    const bool inlined = std::any_of(gathered_.inline_items.begin(), gathered_.inline_items.end(),
                                     [i](const Item& item) { return item.message == i; });
    const auto& shown = extract ? views_->extracted(i, suffix.extracts.at(i)) : views_->masked(i);
    if (inlined || !shown.shorter) continue;
    auto record = record_of(artifact_of_message(messages, i), thread_->tokens_of(i));
    record.strategy = extract ? ProcessingStrategy::rag_extract : ProcessingStrategy::exclude;
    record.processed_size_chars = chars_of(text_of(shown.message));
    record.processed_tokens = shown.tokens;
    record.reference = shown.reference;
    record.reason = extract ? "too large for its place: extracted" : "older result: a line stands in its place";
    metadata.artifacts_processed.push_back(std::move(record));
  }
}

void BuildState::add_costs(ContextUtilizationMetadata& metadata) const {
  const auto& options = environment_->options;
  metadata.planning_usage = {planner_usage_, execution_->usage(), layout_.embedder_usage};
  const auto price = [&](const UsageMetadata& usage, const std::string& model) {
    return cost_of(usage, options.catalog.find(model)).total_cost_usd();
  };
  metadata.planning_cost = {price(planner_usage_, request_.models.context_planner),
                            price(execution_->usage(), request_.models.summarizer),
                            price(layout_.embedder_usage, options.embedding_model)};
  // The fixed parts and the steps without their results are what the room was left by. Headers differ a little by what
  // becomes of an artifact: where everything was included, the count is known.
  metadata.include_all_tokens = budget_.max_input - question_->room + suffixes_->everything().tokens;
  if (!gathered_.items.empty()) metadata.include_all_tokens += question_->overhead_tokens;
  for (std::size_t i = 0; i < gathered_.items.size(); ++i)
    metadata.include_all_tokens += artifacts_->tokens(i) + question_->header_tokens[i];
  if (layout_.everything && metadata.artifacts_included == metadata.artifacts_total && parts_.skipped_steps == 0)
    metadata.include_all_tokens = input_tokens_;
  UsageMetadata all;
  all.prompt_tokens = metadata.include_all_tokens;
  metadata.include_all_cost_usd = cost_of(all, model_).total_cost_usd();
}

}  // namespace ctxmgr::engine
