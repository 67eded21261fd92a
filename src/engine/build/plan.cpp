#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/build/build_state.hpp"
#include "engine/build/data_block.hpp"
#include "engine/planning/plan_repair.hpp"
#include "engine/selection/selection_internal.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t first_summary_id = 1;  // The plan is call 0.
constexpr std::int64_t leaf_estimate_tokens = 20'000;
constexpr double planner_window_share = 0.75;  // The rest is for the reply.

/// What the decisions take with their headers; `items` are in any order.
std::int64_t tokens_of(const ArtifactPlan& plan, const std::vector<RepairItem>& items) {
  std::int64_t tokens = 0;
  for (const auto& decision : plan.artifacts) tokens += decision.target_tokens;
  for (const auto& item : items) tokens += item.header_tokens;
  return tokens;
}

}  // namespace

const Artifact& BuildState::artifact_of(std::size_t item) const {
  return item < gathered_.items.size() ? *gathered_.items[item].artifact : *older_;
}

std::int64_t BuildState::full_tokens(std::size_t item) const {
  if (item < gathered_.items.size()) return artifacts_->tokens(item);
  return suffixes_->tokens_before(layout_.suffix.cut);
}

/// What a plan may spend on texts and their headers.
std::int64_t BuildState::block_room() const {
  const auto reserved = layout_.everything ? 0 : question_->index_tokens;
  return std::max<std::int64_t>(
      0, layout_.block_tokens - (layout_.block_tokens > 0 ? question_->overhead_tokens : 0) - reserved);
}

Artifact older_messages(const std::vector<ConversationMessage>& history, std::size_t cut) {
  Artifact older;
  const auto first = history.front().sequence_number.value_or(1);
  const auto last = history[cut - 1].sequence_number.value_or(static_cast<std::int64_t>(cut));
  older.artifact_id = "history_" + std::to_string(first) + "_to_" + std::to_string(last);
  older.artifact_type = ArtifactType::conversation;
  older.source = "earlier conversation, messages " + std::to_string(first) + " to " + std::to_string(last);
  return older;
}

void BuildState::choose_plan() {
  if (suffixes_->tokens_before(layout_.suffix.cut) > 0)
    older_ = std::make_unique<Artifact>(older_messages(context_.conversation_history, layout_.suffix.cut));
  if (request_.plan) return use_plan(*request_.plan, PlanSource::given);
  if (layout_.same_question && memory_ && memory_->plan && may_use_models()) {
    plan_reason_ = "nothing has changed since the last plan";
    llm_plan_ = memory_->plan;
    return use_plan(*memory_->plan, PlanSource::kept);
  }
  plan_reason_ = gate_.reason;
  if (gate_.use_llm && asks_models() && request_.planning.max_llm_calls > 0) {
    planner_call_ = planner_request();
    if (!planner_call_->artifact_of_alias.empty()) return;
    planner_call_.reset();
    plan_reason_ = "the planner's limits leave no room for a single artifact";
  } else if (gate_.use_llm) {
    plan_reason_ += asks_models() ? " (no calls allowed)" : " (no client)";
  }
  use_plan(deterministic_plan(), layout_.everything ? PlanSource::none : PlanSource::deterministic);
}

PlannerQuestion BuildState::planner_question() const {
  PlannerQuestion question;
  question.query = gathered_.query;
  question.goal = context_.goal;
  question.available_tokens = block_room();
  question.primary_input_usd_per_token = model_.input_usd_per_token.value_or(0);
  question.model = request_.models.context_planner;
  question.scope = request_.scope;
  std::vector<CatalogueEntry> entries;
  for (std::size_t i = 0; i < gathered_.items.size(); ++i) {
    CatalogueEntry entry{gathered_.items[i].artifact, artifacts_->tokens(i)};
    entry.historical = gathered_.items[i].historical;
    entries.push_back(std::move(entry));
  }
  const auto text = [&](std::size_t i) -> std::string_view { return gathered_.items[i].artifact->content; };
  auto ranked =
      rank({{&artifacts_->index(), 0, artifacts_->read(), text, {}}}, gathered_.query, layout_.hints, passages_shown);
  ranked.resize(entries.size());
  question.catalogue = make_catalogue(std::move(entries), ranked, request_.planning.planner_max_artifacts,
                                      environment_->summaries, request_.scope, call_);
  if (older_) {
    CatalogueEntry entry{older_.get(), full_tokens(gathered_.items.size())};
    for (const auto& excerpt : layout_.older) {
      entry.relevance = std::max(entry.relevance, excerpt.relevance);
      if (entry.passages.size() < passages_shown) entry.passages.push_back(excerpt.text);
    }
    entry.historical = true;
    question.catalogue.push_back(std::move(entry));
  }
  return question;
}

/// Within the policy, and within the planner's own window.
PlannerCall BuildState::planner_request() const {
  auto policy = request_.planning;
  const auto window = environment_->options.catalog.find(request_.models.context_planner).context_window_tokens;
  policy.planner_max_tokens = std::min(policy.planner_max_tokens,
                                       static_cast<std::int64_t>(planner_window_share * static_cast<double>(window)));
  return make_planner_call(planner_question(), policy, *counter_);
}

std::int64_t BuildState::planner_prompt_tokens() const {
  if (!gate_.use_llm) return 0;
  const auto call = planner_request();
  return count_messages(*counter_, call.request.messages);
}

ArtifactDecision BuildState::fallback_decision(std::size_t item, int priority) const {
  ArtifactDecision decision;
  decision.artifact_id = artifact_of(item).artifact_id;
  decision.priority = priority;
  if (item == gathered_.items.size()) {
    decision.target_tokens = excerpts_target();
    decision.strategy = layout_.older.empty() ? ProcessingStrategy::exclude : ProcessingStrategy::rag_extract;
    return decision;
  }
  if (request_.planning.mode == PlannerMode::none) {
    decision.strategy = ProcessingStrategy::include_full;
    decision.target_tokens = artifacts_->tokens(item);
    return decision;
  }
  const auto& view = layout_.items[item];
  if (!view) {
    const auto& repeats = layout_.repeats;
    const bool repeated = std::binary_search(repeats.begin(), repeats.end(), item);
    decision.relevance_rationale = item >= artifacts_->read() ? "not read: the time was up"
                                   : repeated                 ? "repeats what is there"
                                                              : "less relevant than what took the room";
    return decision;
  }
  decision.strategy = strategy_of(view->view);
  decision.target_tokens = view->tokens;
  decision.relevance_rationale = view->reason;
  return decision;
}

/// The views of the deterministic selection as a plan, the most relevant first; without selection, the newest first.
ArtifactPlan BuildState::deterministic_plan() const {
  const std::size_t count = gathered_.items.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto by_relevance = [&](std::size_t a, std::size_t b) { return layout_.relevance[a] > layout_.relevance[b]; };
  if (request_.planning.mode == PlannerMode::none)
    std::reverse(order.begin(), order.end());
  else
    std::stable_sort(order.begin(), order.end(), by_relevance);
  if (older_) order.insert(order.begin(), count);
  ArtifactPlan plan;
  for (const auto item : order)
    plan.artifacts.push_back(fallback_decision(item, static_cast<int>(plan.artifacts.size()) + 1));
  return plan;
}

void BuildState::use_plan(const ArtifactPlan& plan, PlanSource source) {
  std::vector<RepairItem> items;
  const auto fallbacks = deterministic_plan();
  std::unordered_map<std::string_view, const ArtifactDecision*> by_id;
  for (const auto& decision : fallbacks.artifacts) by_id.emplace(decision.artifact_id, &decision);
  for (std::size_t i = 0; i < gathered_.items.size() + (older_ ? 1 : 0); ++i) {
    const bool older = i == gathered_.items.size();
    // Written shorter without loss, the whole takes less.
    const bool dense = !older && layout_.items[i] && layout_.items[i]->view == ArtifactView::dense;
    items.push_back({*by_id.at(artifact_of(i).artifact_id), dense ? layout_.items[i]->tokens : full_tokens(i),
                     older ? question_->older_header_tokens : question_->header_tokens[i], artifact_of(i).trust,
                     older ? 0.0 : layout_.relevance[i]});
  }
  // A selection was counted as one text, which may be less than its parts together.
  const bool selected = source == PlanSource::deterministic && request_.planning.mode != PlannerMode::none;
  auto repaired = repair_plan(plan, items, gathered_.query, selected ? tokens_of(plan, items) : block_room());
  plan_ = std::move(repaired.plan);
  plan_source_ = source;
  if (source == PlanSource::llm || source == PlanSource::given) {
    repairs_.insert(repairs_.end(), repaired.changes.begin(), repaired.changes.end());
  }
  tell(EventKind::plan_decided, {{"source", static_cast<std::int64_t>(source)},
                                 {"reason", std::string_view(plan_reason_)},
                                 {"artifacts", static_cast<std::int64_t>(items.size())}});
  carry_out();
}

void BuildState::carry_out() {
  const std::size_t count = gathered_.items.size() + (older_ ? 1 : 0);
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < count; ++i) index.emplace(artifact_of(i).artifact_id, i);
  decisions_.assign(count, {});
  least_important_first_.clear();
  for (const auto& decision : plan_.artifacts) {
    decisions_[index.at(decision.artifact_id)] = decision;
    least_important_first_.push_back(index.at(decision.artifact_id));
  }
  if (!older_) least_important_first_.push_back(count);  // Excerpts of results that are masked where they stand.
  std::reverse(least_important_first_.begin(), least_important_first_.end());
  const auto summarizer = environment_->options.catalog.find(request_.models.summarizer);
  ExecutionTools tools{environment_->retriever,
                       *counter_,
                       environment_->summaries,
                       request_.models.summarizer,
                       summarizer.context_window_tokens,
                       request_.scope,
                       calls_left(),
                       caller_ == Caller::blocks ? SharedFlights::join : SharedFlights::none,
                       call_};
  std::vector<ExecutionItem> items;
  for (std::size_t i = 0; i < gathered_.items.size(); ++i) {
    items.push_back({gathered_.items[i].artifact, decisions_[i], artifacts_->tokens(i), {}});
    // The selection's extract is for the user's query, not for one that a planner made up.
    const auto& query = decisions_[i].extraction_query;
    if (query.empty() || query == gathered_.query || decisions_[i].strategy == ProcessingStrategy::include_full)
      items.back().prepared = layout_.items[i];
  }
  if (older_ && decisions_.back().strategy == ProcessingStrategy::summarize &&
      full_tokens(count - 1) <= static_cast<std::int64_t>(tools.max_calls) * leaf_estimate_tokens) {
    for (std::size_t i = 0; i < layout_.suffix.cut; ++i) {
      const auto text =
          i == gathered_.question ? std::string() : indexed_text(*thread_, context_.conversation_history, i);
      if (!text.empty()) older_->content += text + '\n';
    }
    items.push_back({older_.get(), decisions_.back(), full_tokens(count - 1), std::nullopt});
  }
  execution_ = std::make_unique<Execution>(std::move(items), std::move(tools), first_summary_id);
}

/// How many calls are left for summaries.
std::size_t BuildState::calls_left() const {
  const std::size_t made = planner_given_out_ ? 1 : 0;
  const auto most = request_.planning.max_llm_calls;
  return !asks_models() || failed() || most < made ? 0 : most - made;
}

std::vector<PendingCall> BuildState::next_calls() {
  if (planner_call_) {
    if (std::exchange(planner_given_out_, true)) return {};
    return {{0, planner_call_->request}};
  }
  return execution_->next_calls();
}

void BuildState::reply(std::size_t id, Result<LlmResponse> response) {
  if (id != 0) {
    if (execution_) execution_->reply(id, std::move(response));
    return;
  }
  if (!planner_call_ || !planner_given_out_) return;
  const auto call = *std::exchange(planner_call_, std::nullopt);
  std::size_t dropped = 0;
  Result<ArtifactPlan> plan = tl::unexpected(Error{});
  if (response) {
    planner_usage_ = planner_usage_ + response->usage;
    plan = read_planner_reply(*response, call, dropped);
  } else {
    plan = tl::unexpected(response.error());
  }
  if (dropped > 0) repairs_.push_back(std::to_string(dropped) + " decisions of the planner could not be used");
  if (plan) {
    llm_plan_ = *plan;
    use_plan(*plan, PlanSource::llm);
  } else {
    planner_error_ = plan.error();
    plan_reason_ = "the planner failed: " + plan.error().message;
    use_plan(deterministic_plan(), PlanSource::deterministic);
  }
  time_step("repair");
}

bool BuildState::done() const { return !planner_call_ && execution_->done(); }

void BuildState::wait_for_others() {
  if (execution_) execution_->wait_for_others();
}

}  // namespace ctxmgr::engine
