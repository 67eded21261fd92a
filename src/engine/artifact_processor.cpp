#include "ctxmgr/engine/artifact_processor.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/build/fill.hpp"
#include "engine/build/layout.hpp"
#include "engine/build/plan.hpp"
#include "engine/build/planner_question.hpp"
#include "engine/planning/budget.hpp"
#include "engine/summaries/client_calls.hpp"
#include "engine/summaries/summarizer_call.hpp"
#include "ports/checked_token_counter.hpp"
#include "ports/deadline.hpp"
#include "ports/estimate_by_kind.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {
namespace {

ArtifactProcessorOptions with_defaults(ArtifactProcessorOptions options) {
  options.token_counter = options.token_counter ? make_checked_token_counter(std::move(options.token_counter))
                                                : make_estimating_counter(vocabulary_family(options.models.primary));
  if (!options.clock) options.clock = make_system_clock();
  return options;
}

/// Those of a build, but for the cache, which is the host's.
std::shared_ptr<const engine::BuildServices> services_of(const ArtifactProcessorOptions& options) {
  ContextManagerOptions manager;
  manager.client = options.client;
  manager.catalog = options.catalog;
  manager.clock = options.clock;
  manager.gate = options.gate;
  auto services = std::make_shared<engine::BuildServices>(std::move(manager));
  services->summaries = options.cache;
  return services;
}

}  // namespace

struct ArtifactProcessor::Impl {
  explicit Impl(ArtifactProcessorOptions given)
      : options(with_defaults(std::move(given))), services(services_of(options)) {}

  ArtifactProcessorOptions options;
  std::shared_ptr<const engine::BuildServices> services;

  BuildRequest request(const std::string& query) const {
    BuildRequest request;
    request.models = options.models;
    request.planning = options.policy;
    request.scope = options.scope;
    request.query = query;
    return request;
  }
};

namespace {

/// Of the services, which outlive the build.
std::shared_ptr<const TokenCounter> borrowed(const TokenCounter& counter) {
  return {std::shared_ptr<void>(), &counter};
}

/// The stages of a build up to the plan, with artifacts alone: no conversation, and texts without headers.
class ArtifactBuild {
 public:
  ArtifactBuild(const std::shared_ptr<const engine::BuildServices>& services, const TokenCounter& counter,
                BuildRequest request, ContextGoal goal, const CallOptions& call)
      : inputs_{context_, std::move(request), services, call,
                services->options.client ? engine::Caller::blocks : engine::Caller::nobody},
        pace_(inputs_.call, *services->options.clock),
        prepared_{services->options.catalog.find(inputs_.request.models.primary),
                  std::make_shared<const ModelTokenCounter>(borrowed(counter), std::string_view())} {
    analyses_.cache = &services->analyses;
    context_.goal = goal;
  }

  Result<void> plan(const std::vector<Artifact>& artifacts, std::int64_t tokens) {
    if (auto checked = engine::check(inputs_.request.planning.summary_instructions); !checked) return checked;
    auto& items = prepared_.gathered.items;
    for (const auto& artifact : artifacts) items.push_back({&artifact});
    if (auto checked = engine::check(items); !checked) return checked;
    analyses_.thread = std::make_unique<engine::KnownThread>();
    prepared_.read_thread = &analyses_.thread->analysis;
    const auto chain = engine::fingerprints(items);
    analyses_.artifacts = analyses_.cache->take_artifacts(chain, analyses_.tokenizer);
    if (!analyses_.artifacts) analyses_.artifacts = std::make_unique<engine::ArtifactSet>();
    prepared_.read_artifacts = analyses_.artifacts.get();
    analyses_.artifacts->update(items, chain, *prepared_.counter, pace_);
    for (std::size_t i = 0; i < items.size(); ++i) items[i].tokens = prepared_.artifacts().tokens(i);
    const auto& none = context_.conversation_history;
    prepared_.gathered.query = inputs_.request.query;
    prepared_.gathered.searched = inputs_.request.query;
    prepared_.views = std::make_unique<engine::ToolResultViews>(none, prepared_.thread(), inputs_.services->retriever,
                                                                *prepared_.counter, nullptr);
    prepared_.suffixes = std::make_unique<engine::SuffixPlanner>(prepared_.thread(), std::nullopt, *prepared_.views);
    prepared_.room = std::clamp<std::int64_t>(tokens, 0, most_tokens);
    layout_ = engine::plan_layout({inputs_, prepared_, *analyses_.thread, pace_});
    layout_.block_tokens = prepared_.room;  // A model may use all of it.
    outcome_ = engine::decide(input());
    return {};
  }

  void answer_planner() {
    auto call = inputs_.call;
    const auto latest = inputs_.services->options.clock->steady_now() + inputs_.request.planning.planner_timeout;
    call.deadline = call.deadline ? std::min(*call.deadline, latest) : latest;
    auto replies = engine::ask_all(*inputs_.services->options.client, {outcome_.call->request}, call, {});
    outcome_ = engine::decide(input(), std::move(outcome_), std::move(replies.front()));
  }

  /// What the texts leave goes to passages of what the plan leaves open.
  void share_rest(std::vector<engine::ProcessedText>& texts) {
    auto left = room();
    for (const auto& text : texts) left -= text.tokens;
    (void)engine::share_room({inputs_, prepared_, layout_, outcome_, *analyses_.thread}, left, false, texts);
  }

  /// The next one gets the analyses.
  void end() { analyses_.put_back(); }

  [[nodiscard]] engine::PlanInput input() const { return {inputs_, prepared_, layout_, false}; }
  [[nodiscard]] engine::PlanOutcome& outcome() { return outcome_; }
  [[nodiscard]] std::int64_t room() const { return prepared_.room; }

 private:
  Context context_;
  engine::BuildInputs inputs_;
  Pace pace_;
  engine::BorrowedAnalyses analyses_{};
  engine::Prepared prepared_;
  engine::Layout layout_;
  engine::PlanOutcome outcome_;
};

Result<PlannedContext> plan(ArtifactBuild& build, const PlanningPolicy& policy) {
  if (build.outcome().call) build.answer_planner();
  auto& outcome = build.outcome();
  if (outcome.error && policy.mode == PlannerMode::llm_or_fail) return tl::unexpected(*outcome.error);
  PlannedContext planned;
  planned.plan = std::move(outcome.plan);
  planned.source = outcome.source == PlanSource::llm ? PlanSource::llm : PlanSource::deterministic;
  planned.reason = std::move(outcome.reason);
  planned.repairs = std::move(outcome.repairs);
  planned.usage = outcome.usage;
  return planned;
}

/// A text as it is, or what of its artifact speaks most of the decision's question in the room that is left.
void fit(const Artifact& artifact, const ArtifactDecision& decision, const ArtifactProcessorOptions& options,
         const Retriever& retriever, std::int64_t room, engine::ProcessedText& text) {
  if (text.tokens <= room) return;
  const auto& query = decision.extraction_query.empty() ? decision.summarization_focus : decision.extraction_query;
  auto part = retriever.extract(artifact, query, room, *options.token_counter);
  text = {part.text.empty() || part.tokens > room ? ProcessingStrategy::exclude : strategy_of(part.view),
          std::move(part.text), part.tokens, false, "what stands before it took the room"};
}

/// In order of priority, together within the room: what comes later takes what is left.
std::vector<ProcessedArtifact> in_order(const engine::PlanOutcome& outcome, const ArtifactProcessorOptions& options,
                                        const Retriever& retriever, std::int64_t room,
                                        std::vector<engine::ProcessedText> texts) {
  const auto& items = outcome.items;
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < items.size(); ++i) index.emplace(items[i].artifact->artifact_id, i);
  std::vector<ProcessedArtifact> processed;
  for (const auto& decision : outcome.plan.artifacts) {
    const auto item = index.at(decision.artifact_id);
    auto& text = texts[item];
    if (text.strategy == ProcessingStrategy::exclude) continue;
    fit(*items[item].artifact, decision, options, retriever, room, text);
    if (text.strategy == ProcessingStrategy::exclude) continue;
    room -= text.tokens;
    processed.push_back({decision.artifact_id, text.strategy, std::move(text.text), text.tokens, text.cache_hit,
                         std::move(text.reason)});
  }
  return processed;
}

Result<std::vector<ProcessedArtifact>> execute(ArtifactBuild& build, const ArtifactProcessorOptions& options,
                                               const engine::BuildServices& services, const CallOptions& call) {
  const auto calls = options.client ? options.policy.max_llm_calls : 0;
  const auto window = options.catalog.find(options.models.summarizer).context_window_tokens;
  engine::Execution execution(
      engine::items_to_execute(build.input(), build.outcome(), calls),
      {services.retriever, *options.token_counter, services.summaries, options.models.summarizer, window, options.scope,
       calls, engine::SharedFlights::join, call, engine::planning_cap(build.input()),
       options.catalog.find(options.models.summarizer), options.policy.check_summaries,
       options.policy.summary_instructions},
      0);
  while (!execution.done() && !call.cancellation.is_cancelled() && !is_over(call, *options.clock)) {
    const auto pending = execution.next_calls();
    if (pending.empty()) {
      execution.wait_for_others();
      continue;
    }
    engine::answer_all(*options.client, pending, call, {},
                       [&](std::size_t id, Result<LlmResponse> response) { execution.reply(id, std::move(response)); });
  }
  if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "the plan was cancelled");
  auto texts = execution.finish();
  build.share_rest(texts);
  return in_order(build.outcome(), options, services.retriever, build.room(), std::move(texts));
}

}  // namespace

ArtifactProcessor::ArtifactProcessor(ArtifactProcessorOptions options)
    : impl_(std::make_shared<const Impl>(std::move(options))) {}

Result<PlannedContext> ArtifactProcessor::plan_context(const std::vector<Artifact>& artifacts,
                                                       const std::string& user_query, ContextGoal goal,
                                                       std::int64_t available_tokens, const CallOptions& call) const {
  return guarded([&]() -> Result<PlannedContext> {
    ArtifactBuild build(impl_->services, *impl_->options.token_counter, impl_->request(user_query), goal, call);
    if (auto planned = build.plan(artifacts, available_tokens); !planned) return tl::unexpected(planned.error());
    auto planned = plan(build, impl_->options.policy);
    if (planned) planned->query = user_query;
    build.end();
    return planned;
  });
}

Result<std::vector<ProcessedArtifact>> ArtifactProcessor::execute_plan(const ArtifactPlan& plan,
                                                                       const std::vector<Artifact>& artifacts,
                                                                       const std::string& user_query,
                                                                       std::int64_t token_budget,
                                                                       const CallOptions& call) const {
  return guarded([&]() -> Result<std::vector<ProcessedArtifact>> {
    auto request = impl_->request(user_query);
    request.plan = plan;
    ArtifactBuild build(impl_->services, *impl_->options.token_counter, std::move(request), ContextGoal::synthesis,
                        call);
    if (auto planned = build.plan(artifacts, token_budget); !planned) return tl::unexpected(planned.error());
    auto processed = execute(build, impl_->options, *impl_->services, call);
    build.end();
    return processed;
  });
}

Result<std::vector<ProcessedArtifact>> ArtifactProcessor::execute_plan(const PlannedContext& planned,
                                                                       const std::vector<Artifact>& artifacts,
                                                                       std::int64_t token_budget,
                                                                       const CallOptions& call) const {
  return execute_plan(planned.plan, artifacts, planned.query, token_budget, call);
}

}  // namespace ctxmgr
