#include "ctxmgr/session/workflow.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/note.hpp"
#include "core/sha256.hpp"
#include "core/shaped_messages.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "ctxmgr/session/conversation.hpp"
#include "engine/build/gather.hpp"
#include "engine/summaries/client_calls.hpp"
#include "ports/conversation_checks.hpp"
#include "session/sent_context.hpp"
#include "session/thread_view.hpp"
#include "session/workflow_impl.hpp"

namespace ctxmgr {
namespace {

// An agent's thread state is looked for in this many of the newest steps, when a process first asks for it.
constexpr std::int64_t remembered_steps = 8;
// The task of a thread is looked for among so many of its first rows.
constexpr std::size_t task_rows = 16;
// Before a thread state as it is stored with a step: which row the thread began with, for a state is of exactly that thread.
constexpr std::string_view memory_version = "workflow-1 ";

std::string encode(const AgentMemory& memory) {
  return std::string(memory_version) + std::to_string(memory.first_read) + ' ' + memory.thread_state.opaque;
}

AgentMemory decode_memory(std::string_view stored) {
  if (stored.substr(0, memory_version.size()) != memory_version) return {{std::string(stored)}, 0};
  stored.remove_prefix(memory_version.size());
  AgentMemory memory;
  const auto end = std::from_chars(stored.data(), stored.data() + stored.size(), memory.first_read).ptr;
  const auto digits = static_cast<std::size_t>(end - stored.data());
  if (digits == 0 || digits >= stored.size()) return {};
  memory.thread_state.opaque = std::string(stored.substr(digits + 1));
  return memory;
}

/// Every row keeps its number, which summaries go by.
void note_what_is_lost(std::vector<ConversationMessage>& rows, std::int64_t last_sequence) {
  std::vector<ConversationMessage> whole;
  std::int64_t next = 1;
  const auto note_until = [&](std::int64_t number) {
    for (; next < number; ++next) whole.push_back({Role::user, "[Message " + std::to_string(next) + " was lost.]"});
  };
  for (auto& row : rows) {
    note_until(row.sequence_number.value_or(next));
    whole.push_back(std::move(row));
    ++next;
  }
  note_until(last_sequence + 1);
  rows = std::move(whole);
}

/// A turn's results answer its agent's calls: others may have open ones of the same ids.
std::vector<ConversationMessage> input_of(const AgentTurn& turn) {
  auto messages = turn.messages;
  for (auto& message : messages) {
    if (message.role == Role::tool && message.agent.empty()) message.agent = turn.agent;
  }
  return messages;
}

/// Puts what is sent in this turn alone before the last thing that a user says. It is no part of the history that was built: the
/// thread state is of rows alone.
void put_in(const std::string& data, const MessageShape& shape, BuiltContext& built) {
  auto& messages = built.messages;
  const auto is_users = [](const ConversationMessage& message) { return message.role == Role::user; };
  const auto last = std::find_if(messages.rbegin(), messages.rend(), is_users);
  const auto at = last == messages.rend() ? messages.size() : static_cast<std::size_t>(messages.rend() - last) - 1;
  messages.insert(messages.begin() + static_cast<std::ptrdiff_t>(at), {Role::user, data});
  auto& breakpoints = built.metadata.cache_breakpoints;
  for (auto& breakpoint : breakpoints) breakpoint += breakpoint >= at ? 1 : 0;
  if (!shape.demands_anything()) return;
  auto shaped = shape_with_places(std::move(messages), shape);
  for (auto& breakpoint : breakpoints) breakpoint = shaped.places[breakpoint];
  messages = std::move(shaped.messages);
}

void say_pruned(const PruneReport& report, ContextUtilizationMetadata& metadata) {
  if (report.rows_covered == 0) return;
  add_note(metadata, NoteCode::thread_pruned,
           "the thread was pruned first: " + std::to_string(report.rows_covered) + " rows in " +
               std::to_string(report.summaries.last - report.summaries.first + 1) + " summaries");
}

}  // namespace

AgentMemory Workflow::Impl::recall(const std::string& agent, std::int64_t last_step, const CallOptions& call) {
  {
    const std::scoped_lock lock(mutex);
    if (const auto known = memories.find(agent); known != memories.end()) return known->second;
  }
  for (std::int64_t step = last_step; step > std::max<std::int64_t>(0, last_step - remembered_steps); --step) {
    const auto sent = store().load_step(id(), step, call);
    if (sent && sent->agent == agent) return decode_memory(sent->thread_state);
  }
  return {};
}

void Workflow::Impl::remember(const std::string& agent, AgentMemory memory) {
  const std::scoped_lock lock(mutex);
  memories[agent] = std::move(memory);
}

Result<ConversationInfo> Workflow::Impl::info(const CallOptions& call) const {
  auto found = store().info(id(), call);
  if (!found) return tl::unexpected(found.error());
  ConversationInfo fresh;
  fresh.conversation_id = options.workflow_id;
  return found->value_or(std::move(fresh));
}

/// What the thread is for: the first thing that a user said, where the view begins behind it.
std::optional<ConversationMessage> Workflow::Impl::read_task(const session::Viewer& viewer, std::int64_t first_read,
                                                             const CallOptions& call) const {
  if (first_read <= 1) return std::nullopt;
  MessageQuery query;
  query.last_sequence = first_read - 1;
  query.limit = task_rows;
  auto first_rows = store().load(id(), query, call);
  if (!first_rows) return std::nullopt;  // It is shown where it can be read.
  for (auto& row : *first_rows) {
    if (row.role == Role::user && !row.summary_of && viewer.sees(row))
      return conversation::is_fixed(row) ? std::nullopt : std::optional(std::move(row));
  }
  return std::nullopt;
}

Result<StepStart> Workflow::Impl::start(const std::vector<AgentTurn>& turns, const CallOptions& call) {
  auto pruned = prune_if_due(turns, call);
  if (!pruned) return tl::unexpected(pruned.error());
  auto known = info(call);
  if (!known) return tl::unexpected(known.error());
  return StepStart{*std::move(known), *pruned};
}

Result<TurnInput> Workflow::Impl::read(const AgentTurn& turn, const ConversationInfo& info, const CallOptions& call) {
  TurnInput input;
  input.last_sequence = turn.at_sequence.value_or(info.last_sequence);
  if (input.last_sequence < 0 || input.last_sequence > info.last_sequence) {
    return fail(ErrorCode::invalid_argument, "at_sequence names a row that is not there");
  }
  AgentMemory memory = recall(turn.agent, info.last_step, call);
  session::ViewRequest wanted;
  wanted.viewer = {turn.agent, {turn.visible_agents.begin(), turn.visible_agents.end()}};
  wanted.last_sequence = input.last_sequence;
  wanted.budget_tokens = budget_of(turn.request, options.manager.catalog());
  wanted.first_hint = memory.first_read;
  auto view = session::read_view(store(), id(), wanted, *counter, call);
  if (!view) return tl::unexpected(view.error());
  input.first_read = view->first_read;
  input.rows = std::move(view->messages);
  if (auto task = read_task(wanted.viewer, view->first_read, call))
    input.rows.insert(input.rows.begin(), *std::move(task));

  auto& context = input.context;
  context.goal = turn.goal;
  context.step_records = turn.step_records;
  context.artifacts = turn.artifacts;
  std::vector<ConversationMessage> history;
  if (!turn.system_prompt.empty()) history.push_back({Role::system, turn.system_prompt});
  history.insert(history.end(), input.rows.begin(), input.rows.end());
  for (auto& message : input_of(turn)) history.push_back(std::move(message));
  context.conversation_history = session::with_whole_groups(std::move(history), turn.agent);

  input.request = turn.request;
  input.request.thread_state = std::move(memory.thread_state);
  input.request.scope = scope_of(turn.request);
  if (!turn.data.empty()) input.request.sent_beside.push_back({PartKind::text, turn.data, {}});
  return input;
}

Result<AgentContext> Workflow::Impl::build(const AgentTurn& turn, const StepStart& start, const CallOptions& call) {
  const auto input = read(turn, start.info, call);
  if (!input) return tl::unexpected(input.error());
  auto built = options.manager.build(input->context, input->request, call);
  if (!built) return tl::unexpected(built.error());
  const auto model = options.manager.catalog().find(turn.request.models.primary);
  if (!turn.data.empty()) put_in(turn.data, engine::shape_for(turn.request, model.provider), *built);
  if (input->first_read > 1) {
    add_note(built->metadata, NoteCode::rows_not_read,
             "rows before " + std::to_string(input->first_read) + " were not read, but for fixed ones and the task");
  }
  say_pruned(start.pruned, built->metadata);
  const AgentMemory kept{built->thread_state, input->first_read};
  const auto step = record(turn, *built, *input, encode(kept), call);
  if (!step) return tl::unexpected(step.error());
  remember(turn.agent, kept);
  return AgentContext{std::move(*built), *step, input->last_sequence};
}

Result<std::int64_t> Workflow::Impl::record(const AgentTurn& turn, const BuiltContext& built, const TurnInput& input,
                                            std::string memory, const CallOptions& call) {
  SentContext sent;
  sent.agent = turn.agent;
  sent.last_sequence = input.last_sequence;
  sent.thread_state = std::move(memory);
  sent.messages = session::to_sent_messages(built.messages, input.rows);
  sent.receipt_json = session::receipt_to_keep(built.metadata);
  return store().record_step(id(), sent, call);
}

Result<LlmRequest> Workflow::Impl::prepare(const AgentTurn& turn, const StepStart& start, AgentReply& reply,
                                           const CallOptions& call) {
  auto context = build(turn, start, call);
  if (!context) return tl::unexpected(context.error());
  reply.step_number = context->step_number;
  reply.metadata.context_utilization = std::move(context->context.metadata);
  LlmRequest request;
  request.model = turn.request.models.primary;
  request.messages = std::move(context->context.messages);
  request.tools = std::move(context->context.tools);
  request.scope = scope_of(turn.request);
  return request;
}

/// Returns the places of those turns whose context the service found too long; they have a smaller budget now.
std::vector<std::size_t> Workflow::Impl::run_once(LlmClient& client, const StepStart& start,
                                                  std::vector<AgentTurn>& turns, const std::vector<std::size_t>& places,
                                                  std::vector<Result<AgentReply>>& replies, const CallOptions& call) {
  std::vector<LlmRequest> requests;
  std::vector<std::size_t> asked;
  for (const std::size_t i : places) {
    const auto before = std::exchange(replies[i], AgentReply{});
    auto request = prepare(turns[i], start, *replies[i], call);
    if (!request) {
      // Where nothing more can be taken out, what the service said stands.
      const bool was_too_long = !before && before.error().code == ErrorCode::context_length_exceeded;
      const bool is_too_small = request.error().code == ErrorCode::budget_exceeded;
      replies[i] = tl::unexpected(was_too_long && is_too_small ? before.error() : request.error());
      continue;
    }
    requests.push_back(*std::move(request));
    asked.push_back(i);
  }
  auto responses = engine::ask_all(client, requests, call, listener());
  std::vector<std::size_t> too_long;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const std::size_t i = asked[k];
    if (responses[k]) {
      replies[i]->response = *std::move(responses[k]);
      add_usage(turns[i], *replies[i]);
      continue;
    }
    if (responses[k].error().code == ErrorCode::context_length_exceeded) {
      const auto& built = replies[i]->metadata.context_utilization;
      const auto set_aside = std::max(built.tools_tokens, turns[i].request.tools_budget.value_or(0));
      turns[i].request.budget = after_refusal(turns[i].request.budget, built.input_tokens_used + set_aside);
      too_long.push_back(i);
    }
    replies[i] = tl::unexpected(responses[k].error());
  }
  return too_long;
}

/// Of the primary call; a reply is a call, also where a host's own client does not say so.
void Workflow::Impl::add_usage(const AgentTurn& turn, AgentReply& reply) const {
  auto usage = reply.response.usage;
  usage.calls = std::max<std::int64_t>(1, usage.calls);
  reply.metadata = make_response_metadata(std::move(reply.metadata.context_utilization), usage,
                                          options.manager.catalog().find(turn.request.models.primary));
}

void Workflow::Impl::append_replies(const std::vector<AgentTurn>& turns, std::vector<Result<AgentReply>>& replies,
                                    const CallOptions& call) {
  std::vector<ConversationMessage> rows;
  AppendOptions once;
  once.idempotency_key = "ctxmgr:run";
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (!replies[i]) continue;
    for (auto& message : input_of(turns[i])) rows.push_back(std::move(message));
    ConversationMessage reply = replies[i]->response.message;
    reply.agent = turns[i].agent;
    reply.retention = turns[i].reply_retention;
    reply.reasoning_steps.insert(reply.reasoning_steps.end(), turns[i].step_records.begin(),
                                 turns[i].step_records.end());
    rows.push_back(std::move(reply));
    once.idempotency_key += ":" + std::to_string(replies[i]->step_number);
  }
  if (rows.empty()) return;
  if (once.idempotency_key.size() > max_idempotency_key_bytes) {
    once.idempotency_key = "ctxmgr:run:" + sha256_hex(once.idempotency_key);
  }
  auto range = store().append(id(), rows, once, call);
  if (!range && range.error().code == ErrorCode::unavailable) range = store().append(id(), rows, once, call);
  std::int64_t next = range ? range->first : 0;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (!replies[i]) continue;
    if (!range) {
      replies[i]->append_error = range.error();
      continue;
    }
    const auto count = static_cast<std::int64_t>(turns[i].messages.size()) + 1;
    replies[i]->rows = {next, next + count - 1};
    next += count;
  }
}

Workflow::Workflow(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<Workflow> Workflow::open(WorkflowOptions options) {
  if (options.workflow_id.empty()) return fail(ErrorCode::invalid_argument, "a workflow needs an id");
  if (!options.store) return fail(ErrorCode::invalid_argument, "a workflow needs a store");
  auto impl = std::make_shared<Impl>();
  impl->options = std::move(options);
  return Workflow(std::move(impl));
}

const std::string& Workflow::id() const { return impl_->options.workflow_id; }

Result<SequenceRange> Workflow::append(const std::vector<ConversationMessage>& messages, const AppendOptions& options,
                                       const CallOptions& call) {
  return impl_->store().append(impl_->id(), messages, options, call);
}

Result<std::vector<ConversationMessage>> Workflow::messages(const MessageQuery& query, const CallOptions& call) const {
  return impl_->store().load(impl_->id(), query, call);
}

Result<ConversationInfo> Workflow::info(const CallOptions& call) const { return impl_->info(call); }

Result<AgentContext> Workflow::context_for(const AgentTurn& turn, const CallOptions& call) {
  const auto start = impl_->start({turn}, call);
  if (!start) return tl::unexpected(start.error());
  return impl_->build(turn, *start, call);
}

Result<UsageMetadata> Workflow::prepare_compaction(const AgentTurn& turn, const CallOptions& call) {
  const auto known = impl_->info(call);
  if (!known) return tl::unexpected(known.error());
  const auto input = impl_->read(turn, *known, call);
  if (!input) return tl::unexpected(input.error());
  return impl_->options.manager.prepare_compaction(input->context, input->request, call);
}

std::vector<Result<AgentReply>> Workflow::run(LlmClient& client, const std::vector<AgentTurn>& turns,
                                              const CallOptions& call) {
  const auto start = impl_->start(turns, call);
  std::vector<Result<AgentReply>> replies(turns.size(), fail(ErrorCode::internal, "not run"));
  if (!start) {
    replies.assign(turns.size(), tl::unexpected(start.error()));
    return replies;
  }
  std::vector<AgentTurn> waiting = turns;
  for (auto& turn : waiting) {
    if (!turn.at_sequence) turn.at_sequence = start->info.last_sequence;
  }
  std::vector<std::size_t> places(turns.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  for (int tries = 0; tries < 2 && !places.empty(); ++tries) {
    places = impl_->run_once(client, *start, waiting, places, replies, call);
  }
  impl_->append_replies(turns, replies, call);
  return replies;
}

Result<PruneReport> Workflow::prune(const PruneRequest& request, LlmClient* client, const CallOptions& call) {
  return impl_->prune(request, client, call);
}

Result<std::vector<ConversationMessage>> Workflow::replay(std::int64_t step_number, const CallOptions& call) const {
  const auto sent = impl_->store().load_step(impl_->id(), step_number, call);
  if (!sent) return tl::unexpected(sent.error());
  return session::from_sent_messages(sent->messages, impl_->store(), impl_->id(), call);
}

Result<ContextUtilizationMetadata> Workflow::receipt(std::int64_t step_number, const CallOptions& call) const {
  const auto sent = impl_->store().load_step(impl_->id(), step_number, call);
  if (!sent) return tl::unexpected(sent.error());
  if (sent->receipt_json.empty()) return fail(ErrorCode::not_found, "no receipt was kept with this step");
  auto receipt = from_json<ContextUtilizationMetadata>(sent->receipt_json);
  if (!receipt) return fail(ErrorCode::bad_data, "the receipt of this step is not one");
  return receipt;
}

Result<Workflow> Workflow::fork(const ForkRequest& request, const CallOptions& call) const {
  WorkflowOptions options = impl_->options;
  options.workflow_id = request.workflow_id;
  auto forked = open(std::move(options));
  if (!forked) return forked;
  MessageQuery kept;
  if (request.at_sequence) kept.last_sequence = *request.at_sequence;
  if (request.at_step) {
    const auto step = impl_->store().load_step(impl_->id(), *request.at_step, call);
    if (!step) return tl::unexpected(step.error());
    kept.last_sequence = step->last_sequence;
  }
  kept.skip_damaged = request.skip_damaged;
  auto rows = load_all(impl_->store(), impl_->id(), kept, call);
  if (!rows) return tl::unexpected(rows.error());
  if (request.skip_damaged) {
    const auto known = impl_->info(call);
    if (!known) return tl::unexpected(known.error());
    note_what_is_lost(*rows, std::min(kept.last_sequence, known->last_sequence));
  }
  rows->insert(rows->end(), request.messages.begin(), request.messages.end());
  if (rows->empty()) return forked;
  AppendOptions fresh;
  fresh.expected_last_sequence = 0;
  const auto copied = forked->append(*rows, fresh, call);
  if (!copied && copied.error().code == ErrorCode::conflict)
    return fail(ErrorCode::conflict, "there is a workflow of that id");
  if (!copied) return tl::unexpected(copied.error());
  return forked;
}

Result<void> Workflow::archive(const CallOptions& call) {
  return impl_->store().set_status(impl_->id(), ConversationStatus::archived, call);
}

Result<void> Workflow::restore(const CallOptions& call) {
  return impl_->store().set_status(impl_->id(), ConversationStatus::active, call);
}

Result<void> Workflow::erase(const CallOptions& call) {
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->memories.clear();
  }
  return impl_->store().erase(impl_->id(), call);
}

}  // namespace ctxmgr
