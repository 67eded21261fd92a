#include <algorithm>
#include <utility>

#include "engine/build/budget.hpp"
#include "engine/build/build_state.hpp"
#include "engine/build/data_block.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t most_index_tokens = 400;
constexpr double index_share = 0.05;

/// Where not everything fits, the steps of the current turn may take this much of the room before the oldest of them go.
constexpr double steps_share = 0.4;

/// Whether a kept analysis really is one of these messages: it is found by what the caller says, which may be wrong.
bool matches(const ThreadAnalysis& thread, const std::vector<ConversationMessage>& messages) {
  const auto size = thread.size();
  if (size > messages.size()) return false;
  return size == 0 || message_fingerprint(messages[size - 1], thread.fingerprint_at(size - 1)) == thread.fingerprint();
}

std::int64_t most_last_word(std::int64_t max_input, const HistoryPolicy& policy) {
  return static_cast<std::int64_t>(policy.newest_share * static_cast<double>(max_input));
}

std::string label_of(ContextGoal goal) { return goal == ContextGoal::planning ? "planning" : "synthesis"; }

}  // namespace

BuildState::BuildState(const Context& context, BuildRequest request, std::shared_ptr<const Environment> environment,
                       CallOptions call, Caller caller)
    : context_(context),
      request_(std::move(request)),
      environment_(std::move(environment)),
      call_(std::move(call)),
      caller_(may_use_models() || caller == Caller::dry_run ? caller : Caller::nobody),
      pace_(call_, *environment_->options.clock),
      step_began_(environment_->options.clock->steady_now()) {}

bool BuildState::may_use_models() const {
  return request_.planning.mode == PlannerMode::automatic || request_.planning.mode == PlannerMode::llm;
}

/// Analyses go back to where later builds find them.
BuildState::~BuildState() {
  if (thread_) environment_->analyses.put_thread(std::move(thread_), tokenizer_);
  const bool complete = artifacts_ && artifacts_->read() == artifacts_->size();
  if (complete) environment_->analyses.put_artifacts(std::move(artifacts_), tokenizer_);
}

Result<void> BuildState::prepare() {
  if (auto checked = check(request_.history); !checked) return checked;
  if (auto read = read_thread(); !read) return read;
  auto gathered = gather(context_, *thread_, request_.query);
  if (!gathered) return tl::unexpected(gathered.error());
  gathered_ = std::move(*gathered);
  const auto chain = fingerprints(gathered_.items);
  artifacts_ = environment_->analyses.take_artifacts(chain, tokenizer_);
  if (!artifacts_) artifacts_ = std::make_unique<ArtifactSet>();
  artifacts_->update(gathered_.items, chain, *counter_, pace_);
  if (artifacts_->read() < artifacts_->size())
    notes_.push_back("time was up: " + std::to_string(artifacts_->size() - artifacts_->read()) +
                     " artifacts were not read");
  time_step("gather");
  if (auto measured = measure(); !measured) return measured;
  time_step("budget");
  lay_out();
  time_step("select");
  ask_gate();
  time_step("gate");
  choose_plan();
  time_step("plan");
  return {};
}

Result<void> BuildState::read_thread() {
  model_ = environment_->options.catalog.find(request_.models.primary);
  model_.model = request_.models.primary;
  counter_ = &environment_->counter_for(model_);
  const auto info = counter_->info();
  tokenizer_ = info.tokenizer + (info.exact ? "" : "~");
  memory_ = decode(request_.thread_state.opaque);
  if (memory_) thread_ = environment_->analyses.take_thread(memory_->history, tokenizer_);
  if (!thread_ || !matches(*thread_, context_.conversation_history)) thread_ = std::make_unique<ThreadAnalysis>();
  if (auto extended = thread_->extend(context_.conversation_history, *counter_); !extended) {
    thread_.reset();
    return extended;
  }
  const bool unreadable = !memory_ && !request_.thread_state.opaque.empty();
  if (unreadable || (memory_ && !belongs_to(*memory_, *thread_))) {
    memory_.reset();
    notes_.emplace_back("the thread state is of another conversation, or was changed, and was ignored");
  }
  return {};
}

Result<void> BuildState::measure() {
  const auto tools = counter_->count_tools(request_.tools);
  auto budget = compute_budget(request_.budget, model_, tools, counter_->info().exact, notes_);
  if (!budget) return tl::unexpected(budget.error());
  budget_ = *budget;
  // Output of a tool in a text protocol may be too long to be sent whole.
  if (gathered_.last_word && thread_->roles().of(*gathered_.last_word) == ThreadRole::observation &&
      thread_->tokens_of(*gathered_.last_word) > most_last_word(budget_.max_input, request_.history))
    gathered_.last_word.reset();
  auto fixed = measure_fixed_parts(context_, *thread_, gathered_.question, gathered_.last_word, budget_.max_input,
                                   request_.history.oversized, *counter_);
  if (!fixed) return tl::unexpected(fixed.error());
  parts_.fixed = std::move(*fixed);
  budget_.fixed = parts_.fixed.tokens;
  if (parts_.fixed.shrunk_question) notes_.emplace_back("the last user message was shortened to fit");
  views_ = std::make_unique<ToolResultViews>(context_.conversation_history, *thread_, environment_->retriever,
                                             *counter_, request_.archive.get(), call_);
  suffixes_ = std::make_unique<SuffixPlanner>(*thread_, gathered_.question, *views_, gathered_.last_word);
  for (std::size_t i = 0; i < gathered_.items.size(); ++i) {
    headers_.push_back(header_of(*gathered_.items[i].artifact, ProcessingStrategy::rag_extract, artifacts_->tokens(i)));
    header_tokens_.push_back(counter_->count(headers_.back() + '\n') + 1);
  }
  skip_steps_that_do_not_fit();
  return {};
}

/// Everything but the fixed parts and the steps, whole.
std::int64_t BuildState::tokens_beside_steps() const {
  auto tokens = suffixes_->everything().tokens;
  if (!gathered_.items.empty()) tokens += block_overhead_tokens(*counter_);
  for (std::size_t i = 0; i < gathered_.items.size(); ++i) tokens += artifacts_->tokens(i) + header_tokens_[i];
  return tokens;
}

/// Thoughts, calls and errors of the current steps; their results are artifacts and are shared room for later. The oldest
/// steps go as far as they do not fit beside the rest, or into their share where that alone is too much; their results
/// are artifacts like others then.
void BuildState::skip_steps_that_do_not_fit() {
  parts_.step_results.assign(gathered_.step_artifacts.size(), std::string());
  const auto room = budget_.max_input - budget_.fixed;
  const auto share = static_cast<std::int64_t>(steps_share * static_cast<double>(room));
  const auto most = std::max(share, room - tokens_beside_steps());
  const auto& steps = context_.step_records;
  const auto fits = [&](std::size_t skipped) {
    return counter_->count_message(render_steps(steps, skipped, parts_.step_results)) <= most;
  };
  if (steps.empty() || fits(0)) return;
  std::size_t too_few = 0;
  parts_.skipped_steps = steps.size();
  while (parts_.skipped_steps - too_few > 1) {
    const auto middle = too_few + (parts_.skipped_steps - too_few) / 2;
    (fits(middle) ? parts_.skipped_steps : too_few) = middle;
  }
  notes_.push_back("the oldest " + std::to_string(parts_.skipped_steps) + " steps of this turn were left out");
  std::size_t results = 0;
  for (std::size_t i = 0; i < parts_.skipped_steps; ++i) results += steps[i].tool_results.size();
  const auto* first_shown = gathered_.step_artifacts.data() + results;
  for (auto& item : gathered_.items) {
    if (item.place == Place::steps && item.artifact < first_shown) item.place = Place::block;
  }
}

void BuildState::lay_out() {
  Parts bare = parts_;
  bare.suffix = {};
  const auto room = budget_.max_input - tokens_of(bare, source());
  question_.reset(new LayoutQuestion{
      context_, *thread_, gathered_, *artifacts_, {}, {}, *suffixes_, *counter_, request_.history, pace_});
  auto& q = *question_;
  q.mode = request_.planning.mode;
  q.embedder = caller_ == Caller::dry_run ? nullptr : environment_->options.embedder.get();
  q.call = call_;
  q.room = room;
  q.total_room =
      budget_.max_input - parts_.fixed.tokens + (gathered_.question ? thread_->tokens_of(*gathered_.question) : 0);
  q.is_loop = !request_.tools.empty() || thread_->roles().is_loop();
  q.goes_on = gathered_.question && *gathered_.question + 1 < thread_->size();
  if (!gathered_.items.empty())
    q.index_tokens =
        std::min(most_index_tokens, static_cast<std::int64_t>(index_share * static_cast<double>(budget_.max_input)));
  q.overhead_tokens = block_overhead_tokens(*counter_);
  const auto& history = context_.conversation_history;
  if (!history.empty()) {
    const auto all = suffixes_->tokens_before(history.size());
    const auto header = header_of(older_messages(history, history.size()), ProcessingStrategy::rag_extract, all);
    q.older_header_tokens = counter_->count(header + '\n');
  }
  q.question = fingerprint(gathered_.query, fingerprint(label_of(context_.goal)));
  if (!artifacts_->chain().empty()) q.question = fingerprint(artifacts_->chain().back().hex(), q.question);
  if (memory_ && memory_->max_input == budget_.max_input) q.memory = memory_;
  q.header_tokens = header_tokens_;
  q.headers = headers_;
  layout_ = share_room(q);
  parts_.suffix = layout_.suffix;
  parts_.head = layout_.head;
  if (!layout_.embedder_error.empty()) notes_.push_back("retrieval is lexical: " + layout_.embedder_error);
}

void BuildState::ask_gate() {
  PlanningSituation situation;
  situation.artifacts = gathered_.items.size();
  for (std::size_t i = 0; i < gathered_.items.size(); ++i) {
    situation.historical_artifacts += gathered_.items[i].historical;
    situation.total_chars += artifacts_->chars(i);
    situation.largest_chars = std::max(situation.largest_chars, artifacts_->chars(i));
    situation.needed_tokens += artifacts_->tokens(i) + question_->header_tokens[i];
  }
  if (const auto older = suffixes_->tokens_before(layout_.suffix.cut); older > 0) {
    // What does not fit of the history is an artifact like any other.
    ++situation.artifacts;
    situation.total_chars += older * 4;
    situation.largest_chars = std::max(situation.largest_chars, older * 4);
  }
  situation.needed_tokens += suffixes_->everything().tokens;
  situation.available_tokens = question_->room;
  gate_ = should_use_llm_planning(situation, request_.models, environment_->options.catalog, request_.planning);
}

void BuildState::time_step(const char* step) {
  const auto now = environment_->options.clock->steady_now();
  const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(now - step_began_);
  timings_.push_back({step, elapsed});
  step_began_ = now;
  tell(EventKind::build_step, {{"step", std::string_view(step)}, {"elapsed_us", std::int64_t{elapsed.count()}}});
}

void BuildState::tell(EventKind kind, std::vector<EventField> fields) const {
  if (caller_ != Caller::dry_run) environment_->tell(kind, request_.scope, std::move(fields));
}

AssemblySource BuildState::source() { return {context_, *thread_, *suffixes_, *views_, *counter_, gathered_.question}; }

}  // namespace ctxmgr::engine
