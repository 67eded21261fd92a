#include "ctxmgr/engine/artifact_processor.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ctxmgr/engine/planning_gate.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "engine/build/client_calls.hpp"
#include "engine/build/execution.hpp"
#include "engine/planning/plan_repair.hpp"
#include "engine/planning/planner_call.hpp"
#include "ports/checked_token_counter.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {
namespace {

ArtifactProcessorOptions with_defaults(ArtifactProcessorOptions options) {
  options.token_counter = options.token_counter ? make_checked_token_counter(std::move(options.token_counter))
                                                : make_approximate_token_counter();
  if (!options.clock) options.clock = make_system_clock();
  return options;
}

Result<void> check(const std::vector<Artifact>& artifacts) {
  std::unordered_set<std::string_view> ids;
  for (const auto& artifact : artifacts) {
    if (!ids.insert(artifact.artifact_id).second) {
      return fail(ErrorCode::invalid_argument,
                  "two artifacts have the id \"" + artifact.artifact_id.substr(0, 200) + "\"");
    }
  }
  return {};
}

}  // namespace

struct ArtifactProcessor::Impl {
  ArtifactProcessorOptions options;
  Retriever retriever{};

  /// The deterministic decision for every artifact, with what repair has to know.
  std::vector<engine::RepairItem> repair_items(const std::vector<Artifact>& artifacts, const std::string& query,
                                               ContextGoal goal, std::int64_t tokens) const {
    SelectionRequest request;
    request.query = query;
    request.goal = goal;
    request.budget_tokens = tokens;
    const auto selection = retriever.select(artifacts, request, *options.token_counter);
    std::vector<engine::RepairItem> items;
    for (std::size_t i = 0; i < artifacts.size(); ++i) {
      engine::RepairItem item;
      item.fallback.artifact_id = artifacts[i].artifact_id;
      item.full_tokens = options.token_counter->count(artifacts[i].content);
      item.trust = artifacts[i].trust;
      item.relevance = i < selection.relevance.size() ? selection.relevance[i] : 0.0;
      items.push_back(std::move(item));
    }
    for (const auto& chosen : selection.chosen) {
      auto& fallback = items[chosen.index].fallback;
      fallback.strategy = strategy_of(chosen.view);
      fallback.target_tokens = chosen.tokens;
      fallback.relevance_rationale = chosen.reason;
    }
    prioritize(items);
    return items;
  }

  static void prioritize(std::vector<engine::RepairItem>& items) {
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return items[a].relevance > items[b].relevance; });
    for (std::size_t i = 0; i < order.size(); ++i) items[order[i]].fallback.priority = static_cast<int>(i) + 1;
  }

  GateDecision ask_gate(const std::vector<Artifact>& artifacts, const std::vector<engine::RepairItem>& items,
                        std::int64_t tokens) const {
    PlanningSituation situation;
    situation.artifacts = artifacts.size();
    situation.available_tokens = tokens;
    for (std::size_t i = 0; i < artifacts.size(); ++i) {
      const auto chars = static_cast<std::int64_t>(size_chars(artifacts[i]));
      const auto historical = artifacts[i].metadata.find("historical");
      situation.historical_artifacts += historical != artifacts[i].metadata.end() && historical->second == "true";
      situation.total_chars += chars;
      situation.largest_chars = std::max(situation.largest_chars, chars);
      situation.needed_tokens += items[i].full_tokens;
    }
    return should_use_llm_planning(situation, options.models, options.catalog, options.policy);
  }

  engine::PlannerCall planner_call(const std::vector<Artifact>& artifacts, const std::vector<engine::RepairItem>& items,
                                   const std::string& query, ContextGoal goal, std::int64_t tokens,
                                   const CallOptions& call) const {
    engine::PlannerQuestion question;
    question.query = query;
    question.goal = goal;
    question.available_tokens = tokens;
    question.primary_input_usd_per_token = options.catalog.find(options.models.primary).input_usd_per_token.value_or(0);
    question.model = options.models.context_planner;
    question.scope = options.scope;
    std::vector<engine::CatalogueEntry> entries;
    for (std::size_t i = 0; i < artifacts.size(); ++i) entries.push_back({&artifacts[i], items[i].full_tokens});
    question.catalogue =
        engine::make_catalogue(std::move(entries), retriever.rank(artifacts, query, {}, engine::passages_shown),
                               options.policy.planner_max_artifacts, options.cache, options.scope, call);
    return engine::make_planner_call(question, options.policy, *options.token_counter);
  }

  Result<ArtifactPlan> ask_planner(const engine::PlannerCall& planner, PlannedContext& planned,
                                   CallOptions call) const {
    const auto latest = options.clock->steady_now() + options.policy.planner_timeout;
    call.deadline = call.deadline ? std::min(*call.deadline, latest) : latest;
    Result<LlmResponse> response = fail(ErrorCode::internal, "the client threw an exception");
    try {
      response = options.client->complete(planner.request, call);
    } catch (...) {
    }
    if (!response) return tl::unexpected(response.error());
    planned.usage = response->usage;
    std::size_t dropped = 0;
    return engine::read_planner_reply(*response, planner, dropped);
  }

  Result<PlannedContext> plan(const std::vector<Artifact>& artifacts, const std::string& user_query, ContextGoal goal,
                              std::int64_t available_tokens, const CallOptions& call) const {
    if (auto checked = check(artifacts); !checked) return tl::unexpected(checked.error());
    const auto items = repair_items(artifacts, user_query, goal, available_tokens);
    const auto gate = ask_gate(artifacts, items, available_tokens);
    PlannedContext planned;
    planned.reason = gate.reason;
    ArtifactPlan plan;
    if (gate.use_llm && options.client && options.policy.max_llm_calls > 0) {
      const auto planner = planner_call(artifacts, items, user_query, goal, available_tokens, call);
      auto answer = ask_planner(planner, planned, call);
      if (!answer && options.policy.on_failure == PlannerFailure::fail) return tl::unexpected(answer.error());
      if (answer) {
        plan = std::move(*answer);
        planned.source = PlanSource::llm;
      } else {
        planned.reason = "the planner failed: " + answer.error().message;
      }
    }
    auto repaired = engine::repair_plan(plan, items, user_query, available_tokens);
    planned.plan = std::move(repaired.plan);
    planned.repairs = std::move(repaired.changes);
    return planned;
  }

  Result<std::vector<ProcessedArtifact>> execute(const ArtifactPlan& plan, const std::vector<Artifact>& artifacts,
                                                 const std::string& user_query, std::int64_t token_budget,
                                                 const CallOptions& call) const {
    if (auto checked = check(artifacts); !checked) return tl::unexpected(checked.error());
    const auto items = repair_items(artifacts, user_query, ContextGoal::synthesis, token_budget);
    const auto repaired = engine::repair_plan(plan, items, user_query, token_budget).plan;
    std::unordered_map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < artifacts.size(); ++i) index.emplace(artifacts[i].artifact_id, i);
    std::vector<engine::ExecutionItem> work;
    for (const auto& decision : repaired.artifacts) {
      const auto i = index.at(decision.artifact_id);
      work.push_back({&artifacts[i], decision, items[i].full_tokens, std::nullopt});
    }
    const auto window = options.catalog.find(options.models.summarizer).context_window_tokens;
    engine::Execution execution(
        std::move(work),
        {retriever, *options.token_counter, options.cache, options.models.summarizer, window, options.scope,
         options.client ? options.policy.max_llm_calls : 0, engine::SharedFlights::join, call},
        0);
    while (!execution.done() && !call.cancellation.is_cancelled()) {
      const auto calls = execution.next_calls();
      if (calls.empty()) {
        execution.wait_for_others();
        continue;
      }
      engine::answer_all(*options.client, calls, call, {}, [&](std::size_t id, Result<LlmResponse> response) {
        execution.reply(id, std::move(response));
      });
    }
    if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "the plan was cancelled");
    auto texts = execution.finish();
    std::vector<ProcessedArtifact> processed;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].strategy == ProcessingStrategy::exclude) continue;
      processed.push_back({repaired.artifacts[i].artifact_id, texts[i].strategy, std::move(texts[i].text),
                           texts[i].tokens, texts[i].cache_hit, std::move(texts[i].reason)});
    }
    return processed;
  }
};

ArtifactProcessor::ArtifactProcessor(ArtifactProcessorOptions options)
    : impl_(std::make_shared<const Impl>(Impl{with_defaults(std::move(options))})) {}

Result<PlannedContext> ArtifactProcessor::plan_context(const std::vector<Artifact>& artifacts,
                                                       const std::string& user_query, ContextGoal goal,
                                                       std::int64_t available_tokens, const CallOptions& call) const {
  return guarded([&] { return impl_->plan(artifacts, user_query, goal, available_tokens, call); });
}

Result<std::vector<ProcessedArtifact>> ArtifactProcessor::execute_plan(const ArtifactPlan& plan,
                                                                       const std::vector<Artifact>& artifacts,
                                                                       const std::string& user_query,
                                                                       std::int64_t token_budget,
                                                                       const CallOptions& call) const {
  return guarded([&] { return impl_->execute(plan, artifacts, user_query, token_budget, call); });
}

}  // namespace ctxmgr
