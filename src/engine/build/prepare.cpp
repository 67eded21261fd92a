#include "engine/build/prepare.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/instruction_role.hpp"
#include "core/json/json.hpp"
#include "core/json/lexer.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "engine/extracts/data_block.hpp"
#include "engine/history/cut_messages.hpp"
#include "engine/history/pins.hpp"
#include "engine/history/role_notes.hpp"
#include "engine/history/share.hpp"
#include "engine/planning/budget.hpp"
#include "engine/summaries/summarizer_call.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t most_index_tokens = 400;
constexpr double index_share = 0.02;
constexpr std::int64_t least_index_tokens = 56;  // A line with a session's handle, where an eighth of the room has it.

/// Where not everything fits, the steps of the current turn may take this much of the room before the oldest of them go.
constexpr double steps_share = 0.4;

/// Of the budget, output of a tool in a text protocol that is sent whole where it comes last.
constexpr double newest_output_share = 0.4;

std::int64_t tokens_for_index(std::int64_t max_input) {
  if (least_index_tokens > max_input / 8) return 0;
  const auto share = part(index_share, max_input);
  return std::clamp(share, least_index_tokens, most_index_tokens);
}

/// The model and its counter; of the analyses, where they come from.
Prepared for_model(const BuildInputs& inputs, BorrowedAnalyses& analyses) {
  auto model = inputs.services->options.catalog.find(inputs.request.models.primary);
  model.model = inputs.request.models.primary;
  auto counter = counter_of(*inputs.services, model.model);
  const auto info = counter->info();
  auto counted_with = info.tokenizer + (info.exact ? "/" : "~/") + model.model;
  // Groups are what rules make of them.
  if (!inputs.request.tool_rules.empty()) counted_with += "/" + to_json(inputs.request.tool_rules);
  analyses = {&inputs.services->analyses, std::move(counted_with)};
  return {std::move(model), std::move(counter)};
}

Result<void> read_thread(const BuildInputs& inputs, BorrowedAnalyses& analyses, Prepared& prepared) {
  const auto& messages = inputs.context.conversation_history;
  const auto& state = inputs.request.thread_state.opaque;
  prepared.previous = decode(state);
  const bool unreadable = !prepared.previous && !state.empty();
  analyses.thread = analyses.cache->take_beginning(inputs.known->hashes(messages), analyses.tokenizer);
  if (!analyses.thread)
    analyses.thread = std::make_unique<KnownThread>(KnownThread{ThreadAnalysis(inputs.request.tool_rules), {}});
  if (auto extended = analyses.thread->analysis.extend(messages, *prepared.counter); !extended) {
    analyses.thread.reset();
    return extended;
  }
  prepared.read_thread = &analyses.thread->analysis;
  if (unreadable)
    prepared.notes.push_back(
        {NoteCode::thread_state_ignored, "the thread state is not one that this version wrote, and was ignored"});
  if (prepared.previous && !belongs_to(*prepared.previous, prepared.thread())) {
    prepared.previous = of_changed_history(*std::move(prepared.previous));
    prepared.notes.push_back(
        {NoteCode::thread_began_anew,
         "the messages that the thread state was written for have changed: the thread begins anew"});
  }
  for (auto& note : notes_of_roles(messages, prepared.thread().roles()))
    prepared.notes.push_back({NoteCode::roles_inferred, std::move(note)});
  return {};
}

Result<void> read_artifacts(const BuildInputs& inputs, Pace& pace, BorrowedAnalyses& analyses, Prepared& prepared) {
  auto gathered = gather(inputs.context, prepared.thread(), inputs.request.query);
  if (!gathered) return tl::unexpected(gathered.error());
  prepared.gathered = std::move(*gathered);
  auto& items = prepared.gathered.items;
  const auto chain = fingerprints(items);
  analyses.artifacts = analyses.cache->take_artifacts(chain, analyses.tokenizer);
  if (!analyses.artifacts) analyses.artifacts = std::make_unique<ArtifactSet>();
  auto& artifacts = *analyses.artifacts;
  artifacts.update(items, chain, *prepared.counter, pace);
  prepared.read_artifacts = &artifacts;
  if (artifacts.read() < artifacts.size())
    prepared.notes.push_back(
        {NoteCode::time_was_up,
         "time was up: " + std::to_string(artifacts.size() - artifacts.read()) + " artifacts were not read"});
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].tokens = artifacts.tokens(i);
    items[i].header = header_of(*items[i].artifact, ProcessingStrategy::rag_extract);
    items[i].header_tokens = prepared.counter->count(items[i].header + '\n') + 1;
  }
  return {};
}

bool is_json_object(std::string_view text) { return next_json_token(text, 0).kind == '{' && is_json(text); }

/// `invalid_argument` for a tool whose schema no service would take, or a pin of a tool that is not there.
Result<void> check_tools(const BuildRequest& request) {
  for (std::size_t i = 0; i < request.tools.size(); ++i) {
    const auto& schema = request.tools[i].parameters_json;
    if (!schema.empty() && !is_json_object(schema))
      return fail(ErrorCode::invalid_argument, "tools[" + std::to_string(i) + "].parameters_json: tool \"" +
                                                   request.tools[i].name.substr(0, 200) + "\": no JSON object");
  }
  for (const auto& pin : request.pinned_tools) {
    const bool is_there = std::any_of(request.tools.begin(), request.tools.end(),
                                      [&pin](const ToolDefinition& tool) { return tool.name == pin; });
    if (!is_there)
      return fail(ErrorCode::invalid_argument, "pinned_tools: there is no tool \"" + pin.substr(0, 200) + "\"");
  }
  return {};
}

bool says_nothing(const BuildInputs& inputs) {
  const auto& context = inputs.context;
  return context.conversation_history.empty() && context.artifacts.empty() && context.step_records.empty() &&
         context.system_prompt_override.empty() && inputs.request.query.empty();
}

/// Pins that fill the room become messages like others, where the host lets them.
void release_pins(const BuildInputs& inputs, KnownThread& known, Prepared& prepared) {
  const auto& history = inputs.context.conversation_history;
  auto& thread = known.analysis;
  const auto release = [&](std::vector<std::size_t> first_messages) {
    if (thread.release(std::move(first_messages), history)) known.memo.forget_groups();
  };
  if (inputs.request.history.oversized != Oversized::shrink_and_release) return release({});
  auto room = prepared.budget.max_input - prepared.counter->reply_priming_tokens();
  if (!inputs.context.system_prompt_override.empty())
    room -= prepared.counter->count_message({Role::system, inputs.context.system_prompt_override});
  for (const auto g : thread.fixed_groups()) {
    const auto& group = thread.groups()[g];
    if (is_instruction(history[group.first]) && !is_overridden(inputs.context, group)) room -= group.tokens;
  }
  auto released = pins_that_give_way(thread, history.size(), room);
  const auto& previous = prepared.previous;
  prepared.pins_gave_way = previous && pins_that_give_way(thread, previous->messages, room) != released;
  if (!released.empty())
    prepared.notes.push_back({NoteCode::pins_released, std::to_string(released.size()) +
                                                           " pinned messages gave way: pins took more than half of " +
                                                           std::to_string(room) + " tokens"});
  release(std::move(released));
}

Result<void> compute_room(const BuildInputs& inputs, KnownThread& known, Prepared& prepared) {
  const auto& request = inputs.request;
  const auto& counter = *prepared.counter;
  // By what came before the question: the steps that follow it keep their tools.
  const auto& history = inputs.context.conversation_history;
  const auto hints = hints_of(inputs.context, prepared.gathered, prepared.gathered.question.value_or(history.size()));
  prepared.tools = choose_tools(request, history, prepared.gathered.query, hints, counter, inputs.services->retriever);
  prepared.shape = shape_for(request, prepared.model.provider);
  const auto beside = tokens_beside(request, counter);
  const auto set_aside = prepared.tools.set_aside + beside + counter.request_overhead();
  auto budget = compute_budget(request.budget, prepared.model, set_aside, counter.info().exact, prepared.notes);
  if (!budget) return tl::unexpected(budget.error());
  prepared.budget = *budget;
  release_pins(inputs, known, prepared);
  auto& last_word = prepared.gathered.last_word;
  const auto most = part(newest_output_share, budget->max_input);
  // Output of a tool in a text protocol may be too long to be sent whole.
  const bool is_output = last_word && prepared.thread().roles().of(*last_word) == ThreadRole::observation;
  if (is_output && prepared.thread().tokens_of(*last_word) > most) last_word.reset();
  const auto measure = [&] {
    return measure_fixed_parts(inputs.context, prepared.thread(), prepared.gathered.question, last_word,
                               prepared.budget.max_input, request.history.oversized, counter);
  };
  if (is_output && last_word && !measure()) last_word.reset();
  auto fixed = measure();
  if (!fixed) return fail(fixed.error().code, fixed.error().message + origin_of(*budget, request.budget));
  prepared.fixed = std::move(*fixed);
  prepared.budget.fixed = prepared.fixed.tokens;
  if (prepared.fixed.shrunk_question)
    prepared.notes.push_back({NoteCode::question_shortened, "the last user message was shortened to fit"});
  if (const auto budgeted = request.tools_budget; budgeted && prepared.tools.tokens > *budgeted)
    prepared.notes.push_back({NoteCode::tools_over_budget,
                              "tools that were called or are pinned take " + std::to_string(prepared.tools.tokens) +
                                  " tokens, more than the " + std::to_string(*budgeted) + " for tools"});
  prepared.tools.tokens += beside;
  return {};
}

/// Everything but the fixed parts and the steps, whole.
std::int64_t tokens_beside_steps(const Prepared& prepared) {
  auto tokens = prepared.suffixes->everything().tokens;
  if (!prepared.gathered.items.empty()) tokens += prepared.overhead_tokens;
  for (const auto& item : prepared.gathered.items) tokens += item.tokens + item.header_tokens;
  return tokens;
}

/// Thoughts, calls and errors of the current steps; their results are artifacts and are shared room for later. The oldest
/// steps go as far as they do not fit beside the rest, or into their share where that alone is too much; their results
/// are artifacts like others then. Sets the room that is left.
void make_room_for_steps(const Context& context, Prepared& prepared) {
  const auto& steps = context.step_records;
  const std::vector<std::string> no_results(prepared.gathered.step_artifacts.size());
  const auto tokens = [&](std::size_t skipped) {
    return skipped >= steps.size() ? 0 : prepared.counter->count_message(render_steps(steps, skipped, no_results));
  };
  const auto room = prepared.budget.max_input - prepared.fixed.tokens;
  const auto share = part(steps_share, room);
  const auto most = std::max(share, room - tokens_beside_steps(prepared));
  std::size_t too_few = 0;
  std::size_t skipped = tokens(0) <= most ? 0 : steps.size();
  while (skipped > too_few + 1) {
    const auto middle = too_few + (skipped - too_few) / 2;
    (tokens(middle) <= most ? skipped : too_few) = middle;
  }
  prepared.skipped_steps = skipped;
  prepared.room = room - tokens(skipped);
  if (skipped == 0) return;
  prepared.notes.push_back(
      {NoteCode::steps_left_out, "the oldest " + std::to_string(skipped) + " steps of this turn were left out"});
  std::size_t results = 0;
  for (std::size_t i = 0; i < skipped; ++i) results += steps[i].tool_results.size();
  for (auto& item : prepared.gathered.items) {
    if (item.kind == ItemKind::step_result && item.step_result < results) item.kind = ItemKind::artifact;
  }
}

Result<void> read_all(const BuildInputs& inputs, Pace& pace, BorrowedAnalyses& analyses, Prepared& prepared) {
  if (auto read = read_thread(inputs, analyses, prepared); !read) return read;
  if (auto read = read_artifacts(inputs, pace, analyses, prepared); !read) return read;
  return compute_room(inputs, *analyses.thread, prepared);
}

/// Tokens of all that is neither system message nor pin. Whatever the turn brings, it stays the same.
std::int64_t total_room_of(const BuildInputs& inputs, const Prepared& prepared) {
  const auto& thread = prepared.thread();
  auto tokens = prepared.budget.max_input - prepared.counter->reply_priming_tokens();
  if (prepared.fixed.system_override) tokens -= prepared.counter->count_message(*prepared.fixed.system_override);
  for (const auto g : thread.fixed_groups()) {
    const auto& group = thread.groups()[g];
    const bool only_open = group.pending && !group.pinned;
    if (!only_open && !is_overridden(inputs.context, group)) tokens -= group.tokens;
  }
  return std::max<std::int64_t>(0, tokens);
}

Result<void> check_counters(const ContextManagerOptions& options) {
  for (std::size_t i = 0; i < options.token_counters.size(); ++i)
    if (!options.token_counters[i])
      return fail(ErrorCode::invalid_argument, "token_counters[" + std::to_string(i) + "] is null");
  return {};
}

Result<void> check_inputs(const BuildInputs& inputs) {
  if (auto checked = check_counters(inputs.services->options); !checked) return checked;
  if (auto checked = check(inputs.request.history); !checked) return checked;
  if (auto checked = check(inputs.request.planning); !checked) return checked;
  if (auto checked = check(inputs.services->options.gate); !checked) return checked;
  if (auto checked = check(inputs.request.planning.summary_instructions); !checked) return checked;
  if (auto checked = check_tool_rules(inputs.request.tool_rules); !checked) return checked;
  if (inputs.request.tools_budget.value_or(0) < 0) return fail(ErrorCode::invalid_argument, "tools_budget is negative");
  if (auto checked = check_tools(inputs.request); !checked) return checked;
  if (says_nothing(inputs))
    return fail(ErrorCode::invalid_argument, "the context has no message that says anything, and nothing else");
  return {};
}

}  // namespace

void BorrowedAnalyses::put_back() {
  try {
    const bool complete = artifacts && artifacts->read() == artifacts->size();
    if (thread && thread->analysis.size() > 0) cache->put_thread(std::move(thread), tokenizer);
    if (complete) cache->put_artifacts(std::move(artifacts), tokenizer);
  } catch (const std::bad_alloc&) {
    // The next build analyses again.
  }
  thread.reset();
  artifacts.reset();
}

std::shared_ptr<const ModelTokenCounter> counter_of(const BuildServices& services, const std::string& name) {
  auto model = services.options.catalog.find(name);
  model.model = name;
  const std::shared_ptr<const TokenCounter> texts(std::shared_ptr<void>(), &services.counter_for(model));
  return std::make_shared<const ModelTokenCounter>(texts, name);
}

std::int64_t tokens_beside(const BuildRequest& request, const TokenCounter& counter) {
  return request.sent_beside.empty() ? 0 : counter.count_message({Role::system, request.sent_beside});
}

Result<Prepared> prepare(const BuildInputs& inputs, Pace& pace, BorrowedAnalyses& analyses) {
  if (auto checked = check_inputs(inputs); !checked) return tl::unexpected(checked.error());
  auto prepared = for_model(inputs, analyses);
  if (auto read = read_all(inputs, pace, analyses, prepared); !read) {
    analyses.put_back();
    return tl::unexpected(read.error());
  }
  const auto& counter = *prepared.counter;
  const auto& history = inputs.context.conversation_history;
  prepared.handles =
      std::make_unique<MessageHandles>(inputs.request.archive, history, prepared.thread(), analyses.thread->memo);
  prepared.views = std::make_unique<ToolResultViews>(history, prepared.thread(), inputs.services->retriever, counter,
                                                     prepared.handles.get());
  prepared.suffixes = std::make_unique<SuffixPlanner>(prepared.thread(), prepared.gathered.question, *prepared.views,
                                                      prepared.gathered.last_word);
  prepared.overhead_tokens = block_overhead_tokens(counter);
  prepared.total_room = total_room_of(inputs, prepared);
  make_room_for_steps(inputs.context, prepared);
  if (!prepared.gathered.items.empty() && inputs.request.archive)
    prepared.index_tokens = tokens_for_index(prepared.budget.max_input);
  if (!history.empty()) {
    const auto header = header_of(older_messages(history, history.size()), ProcessingStrategy::summarize);
    prepared.older_header_tokens = counter.count(header + '\n');
  }
  return prepared;
}

}  // namespace ctxmgr::engine
