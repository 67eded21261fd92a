#include "engine/build/plan.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/build/evidence.hpp"
#include "engine/build/planner_question.hpp"
#include "engine/build/views.hpp"
#include "engine/extracts/data_block.hpp"
#include "engine/planning/plan_repair.hpp"
#include "engine/selection/selection_internal.hpp"
#include "engine/summaries/leaves.hpp"

namespace ctxmgr::engine {
namespace {

/// So much of the older messages is taken to need one call each: with fewer calls left, they are extracted.
constexpr std::int64_t leaf_estimate_tokens = 20'000;

/// Where a model leaves out what speaks most of the question, it places so many parts of the room less.
constexpr std::int64_t kept_room_divisor = 4;

constexpr int most_priority = 1'000'000;  // A model's.

/// What the layout's decisions take with their headers.
std::int64_t tokens_of(const std::vector<RepairItem>& items) {
  std::int64_t tokens = 0;
  for (const auto& item : items) tokens += item.fallback.target_tokens + item.header_tokens;
  return tokens;
}

void add_excerpts_item(const PlanInput& input, PlanOutcome& outcome) {
  const auto cut = input.layout.suffix.cut;
  const auto tokens = input.prepared.suffixes->tokens_before(cut);
  if (tokens == 0) return;
  outcome.older = std::make_unique<Artifact>(older_messages(input.inputs.context.conversation_history, cut));
  Item item{outcome.older.get(), ItemKind::older_messages};
  item.tokens = tokens;
  item.header_tokens = input.prepared.older_header_tokens;
  outcome.items.push_back(std::move(item));
}

/// In a thread that goes on, what speaks little of the question stays out although there is room for it.
bool has_room_left(const PlanInput& input, const Item& item) {
  const auto& layout = input.layout;
  if (!layout.grows) return false;
  auto taken = layout.suffix.tokens + layout.head.tokens + layout.block_tokens;
  for (const auto& shown : layout.evidence) taken += shown.tokens;
  return input.prepared.room - taken > item.header_tokens + least_block_tokens;
}

ArtifactDecision layouts_decision(const PlanInput& input, const PlanOutcome& outcome, std::size_t i) {
  const auto& layout = input.layout;
  const auto& item = outcome.items[i];
  ArtifactDecision decision;
  decision.artifact_id = item.artifact->artifact_id;
  if (item.kind == ItemKind::older_messages) {
    decision.target_tokens = tokens_of_excerpts(layout);
    decision.strategy = layout.older.empty() ? ProcessingStrategy::exclude : ProcessingStrategy::rag_extract;
    return decision;
  }
  if (input.inputs.request.planning.mode == PlannerMode::none) {
    decision.strategy = ProcessingStrategy::include_full;
    decision.target_tokens = item.tokens;
    return decision;
  }
  const auto& view = layout.items[i];
  if (!view) {
    const bool repeated = std::binary_search(layout.repeats.begin(), layout.repeats.end(), i);
    decision.relevance_rationale =
        i >= input.prepared.artifacts().read() ? "not read: the time was up"
        : repeated                             ? "repeats what is there"
        : has_room_left(input, item) ? "less than a quarter as relevant as the best passage, or as what was said before"
                                     : "less relevant than what took the room";
    return decision;
  }
  decision.strategy = strategy_of(view->view);
  decision.target_tokens = view->tokens;
  decision.relevance_rationale = view->reason;
  return decision;
}

/// The items in the order of the layout's own plan: the most relevant first; without selection, the newest.
std::vector<std::size_t> layouts_order(const PlanInput& input, const PlanOutcome& outcome) {
  const auto& relevance = input.layout.relevance;
  std::vector<std::size_t> order(input.prepared.gathered.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (input.inputs.request.planning.mode == PlannerMode::none)
    std::reverse(order.begin(), order.end());
  else
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return relevance[a] > relevance[b]; });
  if (outcome.older) order.insert(order.begin(), outcome.items.size() - 1);
  return order;
}

/// What repair has to know of each item that plans speak of, with the layout's decision on it.
std::vector<RepairItem> repair_items(const PlanInput& input, const PlanOutcome& outcome) {
  const auto order = layouts_order(input, outcome);
  std::vector<RepairItem> items(order.size());
  int priority = 0;
  for (const auto i : order) {
    const auto& item = outcome.items[i];
    const bool chosen = i < input.layout.items.size() && input.layout.items[i];
    // Written shorter without loss, the whole takes less.
    const bool dense = chosen && input.layout.items[i]->view == ArtifactView::dense;
    const bool older = item.kind == ItemKind::older_messages;
    items[i] = {layouts_decision(input, outcome, i), dense ? input.layout.items[i]->tokens : item.tokens,
                item.header_tokens, item.artifact->trust, older ? 0.0 : input.layout.relevance[i]};
    items[i].fallback.priority = ++priority;
  }
  return items;
}

/// As much of it as there is room for; nothing of what the layout has nothing of, and all of it where all has room.
void leave_open(const PlanInput& input, ArtifactDecision& decision) {
  if (decision.strategy == ProcessingStrategy::exclude || input.layout.everything) return;
  decision.strategy = ProcessingStrategy::rag_extract;
  decision.target_tokens = 0;
}

/// What a model decides: its queries stand beside the question. In a build the allocation has the last word on passages: what it
/// does not name comes after what it names, and what it leaves out comes last.
ArtifactPlan with_passages_open(const PlanInput& input, ArtifactPlan plan, std::vector<RepairItem>& items) {
  const auto question = plan_query(input);
  int last = 0;
  std::unordered_map<std::string_view, RepairItem*> by_id;
  for (auto& decision : plan.artifacts) {
    auto& query = decision.extraction_query;
    if (!query.empty() && query != question) query += "\n" + question;
    last = std::max(last, std::min(decision.priority, most_priority));
  }
  if (!input.refilled) return plan;
  for (auto& item : items) {
    leave_open(input, item.fallback);
    item.fallback.priority = last + 1;
    by_id.emplace(item.fallback.artifact_id, &item);
  }
  for (auto& decision : plan.artifacts) {
    const auto item = by_id.find(decision.artifact_id);
    if (item == by_id.end()) continue;
    if (decision.strategy == ProcessingStrategy::rag_extract) decision.target_tokens = 0;
    if (decision.strategy != ProcessingStrategy::exclude) continue;
    decision = item->second->fallback;
    decision.priority = last + 2;
    decision.relevance_rationale = "in the room that the plan left";
  }
  return plan;
}

/// Whether the plan leaves out what speaks most of the question, of what the layout would send.
bool leaves_out_best(const ArtifactPlan& plan, const std::vector<RepairItem>& items) {
  const RepairItem* best = nullptr;
  for (const auto& item : items) {
    if (item.fallback.strategy == ProcessingStrategy::exclude) continue;
    if (best == nullptr || item.relevance > best->relevance) best = &item;
  }
  return best != nullptr && std::any_of(plan.artifacts.begin(), plan.artifacts.end(), [&](const auto& decision) {
           return decision.strategy == ProcessingStrategy::exclude &&
                  decision.artifact_id == best->fallback.artifact_id;
         });
}

/// An empty plan is the layout's own choice.
void use_plan(const PlanInput& input, ArtifactPlan plan, PlanSource source, PlanOutcome& outcome) {
  const bool is_models = source == PlanSource::llm || source == PlanSource::kept;
  auto items = repair_items(input, outcome);
  auto room = block_room(input);
  // A selection was counted as one text, which may be less than its parts together, also where it is given back.
  if (!is_models && input.inputs.request.planning.mode != PlannerMode::none) room = std::max(room, tokens_of(items));
  if (is_models) {
    if (input.refilled && leaves_out_best(plan, items)) room -= room / kept_room_divisor;
    plan = with_passages_open(input, std::move(plan), items);
  }
  auto repaired = repair_plan(plan, items, plan_query(input), room);
  outcome.plan = std::move(repaired.plan);
  outcome.source = source;
  if (source == PlanSource::llm || source == PlanSource::given)
    outcome.repairs.insert(outcome.repairs.end(), repaired.changes.begin(), repaired.changes.end());
  outcome.decisions.assign(outcome.items.size(), {});
  for (std::size_t i = 0; i < repaired.order.size(); ++i)
    outcome.decisions[repaired.order[i]] = outcome.plan.artifacts[i];
  outcome.least_important_first.assign(repaired.order.rbegin(), repaired.order.rend());
}

/// With the ids that a long plan was kept without.
ArtifactPlan with_ids(ArtifactPlan plan, const std::vector<Item>& items) {
  std::unordered_map<std::string, std::string> ids;
  for (const auto& item : items) ids.emplace(mark_of_id(item.artifact->artifact_id), item.artifact->artifact_id);
  for (auto& decision : plan.artifacts) {
    const auto id = ids.find(decision.artifact_id);
    if (id != ids.end()) decision.artifact_id = id->second;
  }
  return plan;
}

/// The plan that was given, or the one that a model made for this question. Whether there was one.
bool use_former_plan(const PlanInput& input, PlanOutcome& outcome) {
  const auto& request = input.inputs.request;
  if (request.plan) {
    use_plan(input, *request.plan, PlanSource::given, outcome);
    return true;
  }
  const auto& previous = input.prepared.previous;
  if (!previous || !previous->plan || !input.inputs.may_use_models()) return false;
  const bool same = input.layout.same_question;
  if (!same && !was_asked_before(input, outcome)) return false;
  outcome.reason = same ? "nothing has changed since the last plan" : "little was added since the last plan";
  outcome.llm_plan = with_ids(*previous->plan, outcome.items);
  use_plan(input, *outcome.llm_plan, PlanSource::kept, outcome);
  return true;
}

/// The call for a plan, unless something speaks against it: `outcome.reason` says what.
void ask_for_plan(const PlanInput& input, PlanOutcome& outcome) {
  outcome.reason = outcome.gate.reason;
  if (!outcome.gate.use_llm) return;
  if (!input.inputs.asks_models() || input.inputs.request.planning.max_llm_calls == 0) {
    outcome.reason += input.inputs.asks_models() ? " (no calls allowed)" : " (no client)";
    return;
  }
  if (was_asked_before(input, outcome)) {
    outcome.reason += ": a model was asked about this question before, and little was added since";
    return;
  }
  auto call = planner_request(input, outcome.older.get());
  if (call.artifact_of_alias.empty()) {
    outcome.reason = "the planner's limits leave no room for a single artifact";
  } else if (!allows_call(input, call)) {
    outcome.reason += ": a plan may take more than the limit on planning leaves";
  } else {
    outcome.call = std::move(call);
  }
}

}  // namespace

PlanOutcome decide(const PlanInput& input) {
  const auto& [inputs, prepared, layout, refilled] = input;
  PlanOutcome outcome;
  outcome.items = prepared.gathered.items;
  add_excerpts_item(input, outcome);
  outcome.gate = ask_gate(input, outcome.older.get());
  outcome.needed_tokens = situation_of(input).needed_tokens;
  if (use_former_plan(input, outcome)) return outcome;
  ask_for_plan(input, outcome);
  if (outcome.call) return outcome;
  use_plan(input, {}, layout.everything ? PlanSource::none : PlanSource::deterministic, outcome);
  return outcome;
}

PlanOutcome decide(const PlanInput& input, PlanOutcome waiting, Result<LlmResponse> reply) {
  auto outcome = std::move(waiting);
  outcome.asked = true;
  const auto call = *std::exchange(outcome.call, std::nullopt);
  Result<ArtifactPlan> plan = tl::unexpected(Error{});
  if (reply) {
    outcome.usage = outcome.usage + reply->usage;
    plan = read_planner_reply(*reply, call, outcome.repairs);
  } else {
    plan = tl::unexpected(reply.error());
  }
  if (plan) {
    outcome.llm_plan = *plan;
    use_plan(input, *plan, PlanSource::llm, outcome);
  } else {
    outcome.error = plan.error();
    outcome.reason = "the planner failed: " + plan.error().message;
    use_plan(input, {}, PlanSource::deterministic, outcome);
  }
  return outcome;
}

void put_older_text(const PlanInput& input, PlanOutcome& outcome) {
  const auto& [inputs, prepared, layout, refilled] = input;
  if (!outcome.older || !outcome.older->content.empty()) return;
  for (std::size_t i = 0; i < layout.suffix.cut; ++i) {
    const auto text = indexed_text(prepared.thread(), inputs.context.conversation_history, i).text;
    // A result's call stands elsewhere, and without it nobody knows what the result is of.
    const bool is_result = inputs.context.conversation_history[i].role == Role::tool;
    if (!text.empty() && is_result)
      outcome.older->content += piece_header(inputs.context.conversation_history, i) + ": ";
    if (!text.empty()) outcome.older->content += text + '\n';
  }
}

std::vector<ExecutionItem> items_to_execute(const PlanInput& input, PlanOutcome& outcome, std::size_t calls) {
  const auto& [inputs, prepared, layout, refilled] = input;
  std::vector<ExecutionItem> items;
  const auto asked = plan_query(input);
  for (std::size_t i = 0; i < prepared.gathered.items.size(); ++i) {
    items.push_back({outcome.items[i].artifact, outcome.decisions[i], outcome.items[i].tokens, {}});
    // The selection's extract is for the user's query, not for one that a planner made up.
    const auto& query = outcome.decisions[i].extraction_query;
    if (query.empty() || query == asked || outcome.decisions[i].strategy == ProcessingStrategy::include_full)
      items.back().prepared = layout.items[i];
  }
  if (!outcome.older || outcome.decisions.back().strategy != ProcessingStrategy::summarize) return items;
  const auto& older = outcome.items.back();
  if (older.tokens > static_cast<std::int64_t>(calls) * leaf_estimate_tokens) return items;
  put_older_text(input, outcome);
  items.push_back({outcome.older.get(), outcome.decisions.back(), older.tokens, std::nullopt,
                   segment_tokens(prepared.budget.max_input)});
  return items;
}

}  // namespace ctxmgr::engine
