#include "engine/build/planner_question.hpp"

#include <algorithm>
#include <utility>

#include "engine/build/evidence.hpp"
#include "engine/build/views.hpp"
#include "engine/selection/query.hpp"
#include "engine/selection/selection_internal.hpp"
#include "engine/structure/plain_line.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double planner_window_share = 0.75;  // The rest is for the reply.

// A question is planned anew when there is so many times as much as when it was.
constexpr std::int64_t growth = 2;

constexpr std::int64_t summary_part = 10;  // Of its source.

constexpr std::size_t turns_shown = 6;

constexpr std::size_t reference_chars = 300;

/// "user: …" of what was said last before the question; results of tools are artifacts.
std::vector<std::string> dialogue_before(const std::vector<ConversationMessage>& history, std::size_t question) {
  std::vector<std::string> newest_first;
  for (std::size_t i = question; i-- > 0 && newest_first.size() < turns_shown;) {
    const bool is_users = history[i].role == Role::user;
    if (!is_users && history[i].role != Role::assistant) continue;
    const auto text = text_of(history[i]);
    if (!text.empty()) newest_first.push_back((is_users ? "user: " : "assistant: ") + text);
  }
  return {newest_first.rbegin(), newest_first.rend()};
}

/// What a planner has to know of the thread to see what is asked for.
void tell_of_thread(const PlanInput& input, PlannerQuestion& question) {
  const auto& history = input.inputs.context.conversation_history;
  const auto asked = input.prepared.gathered.question.value_or(history.size());
  question.dialogue = dialogue_before(history, asked);
  const auto& head = input.layout.head;
  if (head.notes) question.notes = text_of(*head.notes);
  const auto is_users = [](const ConversationMessage& message) { return message.role == Role::user; };
  const auto end = history.begin() + static_cast<std::ptrdiff_t>(asked);
  const auto first = std::find_if(history.begin(), end, is_users);
  if (first != end) question.task = text_of(*first);
}

/// What becomes of an item where a plan does not name it.
void tell_default(const std::optional<SelectedText>& view, CatalogueEntry& entry) {
  if (!view) return;
  entry.strategy = strategy_of(view->view);
  entry.strategy_tokens = view->tokens;
}

PlannerQuestion planner_question(const PlanInput& input, const Artifact* older) {
  const auto& [inputs, prepared, layout, refilled] = input;
  PlannerQuestion question;
  question.query = prepared.gathered.query;
  tell_of_thread(input, question);
  question.goal = inputs.context.goal;
  question.available_tokens = block_room(input);
  question.primary_input_usd_per_token = prepared.model.input_usd_per_token.value_or(0);
  question.model = inputs.request.models.context_planner;
  question.scope = inputs.request.scope;
  const auto& items = prepared.gathered.items;
  std::vector<CatalogueEntry> entries;
  for (std::size_t i = 0; i < items.size(); ++i) {
    entries.push_back({items[i].artifact, items[i].tokens});
    entries.back().historical = items[i].historical;
    tell_default(layout.items[i], entries.back());
  }
  const auto text = [&items](std::size_t i) -> std::string_view { return items[i].artifact->content; };
  const auto& artifacts = prepared.artifacts();
  auto ranked = rank({{&artifacts.index(), 0, artifacts.read(), text, {}}}, prepared.gathered.query, layout.hints,
                     passages_shown);
  ranked.resize(items.size());
  question.catalogue = make_catalogue(std::move(entries), ranked, planner_artifacts, inputs.services->summaries,
                                      inputs.request.scope, inputs.call);
  if (older != nullptr) {
    CatalogueEntry entry{older, prepared.suffixes->tokens_before(layout.suffix.cut)};
    for (const auto& excerpt : layout.older) {
      entry.relevance = std::max(entry.relevance, excerpt.relevance);
      if (entry.passages.size() < passages_shown)
        entry.passages.push_back(render_pieces(inputs.context.conversation_history, {excerpt}));
    }
    entry.historical = true;
    entry.strategy = layout.older.empty() ? ProcessingStrategy::exclude : ProcessingStrategy::rag_extract;
    entry.strategy_tokens = tokens_of_excerpts(layout);
    question.catalogue.push_back(std::move(entry));
  }
  return question;
}

/// With what a plan is expected to take: its prompt, summaries of what does not fit, and what is sent anew within a question
/// of which a provider has the prompt.
PlanningSituation with_expected_cost(PlanningSituation situation, const PlanInput& input, const Artifact* older) {
  const auto call = planner_request(input, older);
  situation.planner_prompt_tokens = count_messages(*input.prepared.counter, call.request.messages);
  situation.summarized_tokens = std::max<std::int64_t>(0, situation.needed_tokens - situation.available_tokens);
  situation.summary_tokens = situation.summarized_tokens / summary_part;
  const auto& layout = input.layout;
  situation.rewritten_tokens =
      input.prepared.previous && layout.same_question ? layout.block_tokens + layout.suffix.tokens : 0;
  return situation;
}

}  // namespace

std::string plan_query(const PlanInput& input) {
  const auto& query = input.prepared.gathered.query;
  const auto& searched = input.prepared.gathered.searched;
  const auto& hints = input.layout.hints;
  // What is searched for is the question behind those that it refers to.
  if (searched.size() > query.size() && searched.ends_with(query))
    return query + '\n' + plain_line(searched.substr(0, searched.size() - query.size()), reference_chars);
  if (hints.empty() || !says_little(query)) return query;
  return query + '\n' + plain_line(hints.front(), reference_chars);
}

std::int64_t block_room(const PlanInput& input) {
  const auto& layout = input.layout;
  const auto overhead = layout.block_tokens > 0 ? input.prepared.overhead_tokens : 0;
  const auto reserved = layout.everything ? 0 : input.prepared.index_tokens;
  return std::max<std::int64_t>(0, layout.block_tokens - overhead - reserved);
}

PlanningSituation situation_of(const PlanInput& input) {
  const auto& prepared = input.prepared;
  PlanningSituation situation;
  const auto& items = prepared.gathered.items;
  situation.artifacts = items.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto chars = prepared.artifacts().chars(i);
    situation.historical_artifacts += items[i].historical;
    situation.total_chars += chars;
    situation.largest_chars = std::max(situation.largest_chars, chars);
    situation.needed_tokens += items[i].tokens + items[i].header_tokens;
  }
  if (const auto older = prepared.suffixes->tokens_before(input.layout.suffix.cut); older > 0) {
    // What does not fit of the history is an artifact like any other.
    ++situation.artifacts;
    situation.total_chars += older * 4;
    situation.largest_chars = std::max(situation.largest_chars, older * 4);
  }
  situation.needed_tokens += prepared.suffixes->everything().tokens;
  situation.available_tokens = prepared.room;
  if (const auto& deadline = input.inputs.call.deadline) {
    const auto left = *deadline - input.inputs.services->options.clock->steady_now();
    situation.time = std::chrono::duration_cast<std::chrono::milliseconds>(left);
  }
  return situation;
}

GateDecision ask_gate(const PlanInput& input, const Artifact* older) {
  const auto& request = input.inputs.request;
  const auto& catalog = input.inputs.services->options.catalog;
  const auto situation = situation_of(input);
  const auto& policy = request.planning;
  auto thresholds = input.inputs.services->options.gate;
  const auto turns = std::exchange(thresholds.expected_remaining_turns, std::nullopt);
  auto decision = should_use_llm_planning(situation, request.models, catalog, policy, thresholds);
  if (!decision.use_llm || policy.mode != PlannerMode::automatic) return decision;
  if (input.layout.everything && input.refilled)
    return {false, decision.reason + ": everything is sent, whatever a plan says"};
  // Threads go on for about as long again as they have gone on so far.
  thresholds.expected_remaining_turns =
      turns.value_or(static_cast<int>(input.prepared.thread().user_messages().size()));
  return should_use_llm_planning(with_expected_cost(situation, input, older), request.models, catalog, policy,
                                 thresholds);
}

Fingerprint asked_question(const PlanInput& input) {
  const auto goal = input.inputs.context.goal == ContextGoal::planning ? "planning" : "synthesis";
  return fingerprint(input.prepared.gathered.query, fingerprint(goal));
}

bool was_asked_before(const PlanInput& input, const PlanOutcome& outcome) {
  const auto& previous = input.prepared.previous;
  return previous && previous->asked_tokens > 0 && previous->asked == asked_question(input) &&
         outcome.needed_tokens < growth * previous->asked_tokens;
}

PlannerCall planner_request(const PlanInput& input, const Artifact* older) {
  const auto& inputs = input.inputs;
  const auto planner = inputs.services->options.catalog.find(inputs.request.models.context_planner);
  const auto window = static_cast<double>(planner.context_window_tokens);
  const auto most = std::min(planner_prompt_tokens, static_cast<std::int64_t>(planner_window_share * window));
  auto call = make_planner_call(planner_question(input, older), most, *input.prepared.counter);
  const auto left = std::max<std::int64_t>(1, static_cast<std::int64_t>((1 - planner_window_share) * window));
  call.request.max_output_tokens = std::min(call.request.max_output_tokens.value_or(left), left);
  return call;
}

PlanningCap planning_cap(const PlanInput& input) {
  const auto& previous = input.prepared.previous;
  return {input.inputs.request.planning, previous ? previous->planning_tokens : 0};
}

bool allows_call(const PlanInput& input, const PlannerCall& call) {
  const auto cap = planning_cap(input);
  const auto& inputs = input.inputs;
  return !cap.is_limited() ||
         cap.allows(most_of(call.request, *input.prepared.counter,
                            inputs.services->options.catalog.find(inputs.request.models.context_planner))
                        .tokens);
}

}  // namespace ctxmgr::engine
