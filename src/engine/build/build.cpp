#include "engine/build/build.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/most_tokens.hpp"
#include "engine/build/archive.hpp"
#include "engine/build/planner_question.hpp"
#include "engine/build/prepared_summaries.hpp"
#include "engine/build/receipt.hpp"
#include "engine/build/remember.hpp"
#include "engine/build/verify.hpp"
#include "engine/selection/embedding_run.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t planner_id = 0;
constexpr std::size_t first_summary_id = 1;

/// Models are asked until shortly before the caller's deadline: what is cut has to be archived after them. An eighth of the time
/// that there is, and at most a second.
CallOptions call_of_models(const BuildInputs& inputs) {
  constexpr int share = 8;
  constexpr std::chrono::steady_clock::duration most = std::chrono::seconds(1);
  CallOptions call = inputs.call;
  if (!call.deadline || !inputs.request.archive) return call;
  const auto left = *call.deadline - inputs.services->options.clock->steady_now();
  if (left > left.zero()) *call.deadline -= std::min(left / share, most);
  return call;
}

}  // namespace

Build::Build(BuildInputs inputs)
    : mended_(mend(inputs.context, inputs.request, inputs.services->options.catalog.find(inputs.request.models.primary),
                   inputs.known)),
      inputs_(mended_.context ? inputs.with(*mended_.context, mended_.put_in) : std::move(inputs)),
      asking_(call_of_models(inputs_)),
      pace_(inputs_.call, *inputs_.services->options.clock),
      stage_began_(inputs_.services->options.clock->steady_now()) {}

Result<void> Build::prepare() {
  auto prepared = engine::prepare(inputs_, pace_, analyses_);
  if (!prepared) return tl::unexpected(prepared.error());
  prepared_.emplace(std::move(*prepared));
  auto& notes = prepared_->notes;
  for (const auto& note : mended_.notes) notes.push_back({NoteCode::history_mended, note});
  end_stage("prepare");
  layout_ = plan_layout({inputs_, *prepared_, *analyses_.thread, pace_});
  end_stage("layout");
  if (layout_.lost_summaries)
    notes.push_back({NoteCode::summary_lost, "a summary in the notes was forgotten: they are written without it"});
  if (layout_.compaction) tell_of_compaction("before", *layout_.compaction);
  outcome_ = decide(plan_input());
  if (!outcome_.call) start_execution();
  end_stage("plan");
  // The segments are copies by now: a preparation needs the analyses no more.
  if (inputs_.caller == Caller::prepares) end();
  return {};
}

void Build::end() {
  if (prepared_) analyses_.put_back();
}

/// Carries out the plan that there is by now.
void Build::start_execution() {
  inputs_.tell(EventKind::plan_decided, {{"source", static_cast<std::int64_t>(outcome_.source)},
                                         {"reason", std::string_view(outcome_.reason)},
                                         {"artifacts", static_cast<std::int64_t>(outcome_.plan.artifacts.size())}});
  const auto& services = *inputs_.services;
  const auto& summarizer = inputs_.request.models.summarizer;
  ExecutionTools tools{
      services.retriever,
      *prepared_->counter,
      services.summaries,
      summarizer,
      services.options.catalog.find(summarizer).context_window_tokens,
      inputs_.request.scope,
      calls_left(),
      inputs_.caller == Caller::blocks && inputs_.may_use_models() ? SharedFlights::join : SharedFlights::none,
      asking_,
      planning_cap(plan_input()),
      services.options.catalog.find(summarizer),
      inputs_.request.planning.check_summaries,
      inputs_.request.planning.summary_instructions,
      inputs_.caller == Caller::prepares ? &services.failed_summaries : nullptr,
      services.options.clock->steady_now()};
  tools.cap.take(std::min(outcome_.usage.total_tokens(), most_tokens));
  auto items = inputs_.caller == Caller::prepares ? segments_to_summarize()
                                                  : items_to_execute(plan_input(), outcome_, calls_left());
  execution_ = std::make_unique<Execution>(std::move(items), std::move(tools), first_summary_id);
}

std::vector<ExecutionItem> Build::segments_to_summarize() {
  const LayoutInput input{inputs_, *prepared_, *analyses_.thread, pace_};
  segments_ = segments_to_prepare(input, layout_);
  std::vector<ExecutionItem> items;
  for (const auto& segment : segments_) items.push_back(item_of_segment(input, segment));
  return items;
}

/// How many calls summaries may still make.
std::size_t Build::calls_left() const {
  const std::size_t made = planner_asked_ ? 1 : 0;
  auto most = inputs_.request.planning.max_llm_calls;
  const bool prepares = inputs_.caller == Caller::prepares;
  // 0 forbids calls while a build is waited for. Nobody waits for a preparation: it is what asks models then.
  if (prepares && most == 0) most = PlanningPolicy().max_llm_calls;
  const bool may_ask = inputs_.asks_models() || (prepares && inputs_.may_use_models());
  return !may_ask || failed() || most < made ? 0 : most - made;
}

/// Whether the planner failed and the request wants no build without it.
bool Build::failed() const { return outcome_.error && inputs_.request.planning.mode == PlannerMode::llm_or_fail; }

PlanningEstimate Build::most_that_planning_takes() {
  const bool asks = outcome_.gate.use_llm && outcome_.source != PlanSource::given &&
                    outcome_.source != PlanSource::kept && !was_asked_before(plan_input(), outcome_);
  return engine::most_that_planning_takes(plan_input(), outcome_, asks);
}

/// What planner and summariser took.
Spending Build::spent() const {
  const auto& catalog = inputs_.services->options.catalog;
  const auto planner = spending_of(outcome_.usage, catalog.find(inputs_.request.models.context_planner));
  const auto summaries = spending_of(execution_->usage(), catalog.find(inputs_.request.models.summarizer));
  return {planner.tokens + summaries.tokens, planner.usd + summaries.usd};
}

std::vector<PendingCall> Build::next_calls() {
  if (!outcome_.call) return execution_->next_calls();
  if (std::exchange(planner_asked_, true)) return {};
  return {{planner_id, outcome_.call->request}};
}

void Build::reply(std::size_t id, Result<LlmResponse> response) {
  // A reply is a call, also where a host's own client does not say so.
  if (response) response->usage.calls = std::max<std::int64_t>(1, response->usage.calls);
  if (id != planner_id) {
    if (execution_) execution_->reply(id, std::move(response));
    return;
  }
  if (!outcome_.call || !planner_asked_) return;
  outcome_ = decide(plan_input(), std::move(outcome_), std::move(response));
  start_execution();
  end_stage("plan");
}

bool Build::done() const { return execution_ && execution_->done(); }

void Build::wait_for_others() {
  if (execution_) execution_->wait_for_others();
}

Result<BuiltContext> Build::finish() {
  auto built = build_rest();
  end();
  return built;
}

Result<BuiltContext> Build::build_rest() {
  if (inputs_.caller == Caller::prepares) return fail(ErrorCode::invalid_argument, "a preparation builds nothing");
  if (inputs_.call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "the build was cancelled");
  if (outcome_.call) {
    planner_asked_ = true;
    reply(planner_id, fail(ErrorCode::deadline_exceeded, "no reply in time"));
  }
  if (failed()) return tl::unexpected(*outcome_.error);
  const FillInput input{inputs_, *prepared_, layout_, outcome_, *analyses_.thread};
  ArchivedItems archived(input, *analyses_.artifacts);
  auto verified = assemble(input, archived);
  if (!verified) return tl::unexpected(verified.error());
  tell_room(input, *verified);
  const auto remembered = remember(input, *verified, spent());
  BuiltContext built;
  built.metadata = make_receipt({input, *execution_, *verified, archived, remembered});
  tell(built.metadata, remembered.warned_percent);
  built.thread_state.opaque = encode(remembered);
  end_stage("receipt");
  built.metadata.timings = timings_;
  built.plan = std::move(outcome_.plan);
  built.messages = std::move(verified->assembly.messages);
  built.tools = std::move(prepared_->tools.sent);
  return built;
}

/// Execute, fill, verify and archive. Where something cannot be stored, what was promised of it is taken back.
Result<Verified> Build::assemble(const FillInput& input, ArchivedItems& archived) {
  auto texts = execution_->finish();
  end_stage("execute");
  auto filled = fill(input, std::move(texts));
  if (layout_.embeddings) {
    layout_.embedder_usage = layout_.embedder_usage + layout_.embeddings->take_usage();
    layout_.embedder_error = layout_.embeddings->failure();
  }
  if (!layout_.everything || outcome_.source != PlanSource::none) {
    archived.refer(filled);
    fill_index(input, archived.references(), filled);
  }
  end_stage("fill");
  auto verified = verify(input, std::move(filled));
  end_stage("verify");
  if (!verified) return verified;
  archived.refer(verified->filled);
  if (!archived.keep(*verified)) {
    const bool stepped_down = verified->stepped_down;
    archived.withdraw(verified->filled);
    verified = verify(input, std::move(verified->filled));
    if (verified) verified->stepped_down |= stepped_down;
  }
  end_stage("archive");
  return verified;
}

void Build::tell_of_compaction(std::string_view phase, const CompactionReport& report) const {
  const auto messages = ranges_of(report);
  inputs_.tell(EventKind::compaction, {{"phase", phase},
                                       {"reason", std::string_view(report.reason)},
                                       {"messages", std::string_view(messages)},
                                       {"tokens_before", report.tokens_before},
                                       {"tokens_after", report.tokens_after},
                                       {"prefix_tokens_kept", report.prefix_tokens_kept}});
}

/// Tells the observer what the receipt says: notes, what was shortened, and once when the thread passes a threshold.
void Build::tell(const ContextUtilizationMetadata& metadata, int warned_percent) const {
  if (metadata.compaction) tell_of_compaction("after", *metadata.compaction);
  for (std::size_t i = 0; i < metadata.notes.size(); ++i)
    inputs_.tell(EventKind::warning,
                 {{"text", std::string_view(metadata.notes[i])}, {"code", to_string(metadata.note_codes[i])}});
  for (const auto& record : metadata.artifacts_processed) {
    if (record.strategy == ProcessingStrategy::include_full) continue;
    inputs_.tell(EventKind::artifact_shortened, {{"artifact_id", std::string_view(record.artifact_id)},
                                                 {"strategy", to_string(record.strategy)},
                                                 {"tokens_before", record.original_tokens},
                                                 {"tokens_after", record.processed_tokens}});
  }
  if (warned_percent <= (prepared_->previous ? prepared_->previous->warned_percent : 0)) return;
  inputs_.tell(EventKind::budget_threshold, {{"percent", std::int64_t{warned_percent}},
                                             {"tokens", metadata.input_tokens_used},
                                             {"max_input_tokens", metadata.messages_limit}});
}

/// What a stage took counts since the stage before ended. A stage that ends twice in a row is one with the sum of both.
void Build::end_stage(const char* stage) {
  const auto now = inputs_.services->options.clock->steady_now();
  const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(now - std::exchange(stage_began_, now));
  if (!timings_.empty() && timings_.back().step == stage)
    timings_.back().elapsed += elapsed;
  else
    timings_.push_back({stage, elapsed});
  inputs_.tell(EventKind::build_step,
               {{"step", std::string_view(stage)}, {"elapsed_us", std::int64_t{elapsed.count()}}});
}

}  // namespace ctxmgr::engine
