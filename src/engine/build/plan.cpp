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

/// The most relevant artifact keeps up to a quarter of the room where a model would leave it out.
constexpr std::int64_t kept_room_divisor = 4;

/// A plan that is given back may give away so many times the room. Of 796 plans of extracts that were given back, 86 give
/// other bytes, by half 153, by double 86; of 1 000 over pages of tables none, by half 276.
constexpr std::int64_t most_overbooked = 2;

/// What the decisions take with their headers; `items` are in any order.
std::int64_t tokens_of(const ArtifactPlan& plan, const std::vector<RepairItem>& items) {
  std::int64_t tokens = 0;
  for (const auto& decision : plan.artifacts) tokens += decision.target_tokens;
  for (const auto& item : items) tokens += item.header_tokens;
  return tokens;
}

/// Whether a plan speaks of the item. Excerpts of results that are masked where they stand are nobody's decision.
bool is_planned(const Item& item) { return item.kind != ItemKind::masked_results; }

void add_excerpts_item(const PlanInput& input, PlanOutcome& outcome) {
  const auto cut = input.layout.suffix.cut;
  const auto tokens = input.prepared.suffixes->tokens_before(cut);
  if (tokens == 0 && input.layout.older.empty()) return;
  Item item;
  item.kind = tokens > 0 ? ItemKind::older_messages : ItemKind::masked_results;
  if (tokens > 0) {
    outcome.older = std::make_unique<Artifact>(older_messages(input.inputs.context.conversation_history, cut));
    item.artifact = outcome.older.get();
    item.tokens = tokens;
    item.header_tokens = input.prepared.older_header_tokens;
  }
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

/// Without selection: the newest first, but what fits whole before what would have to be cut.
void put_whole_first(const PlanInput& input, std::vector<std::size_t>& order) {
  auto left = block_room(input);
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
    const auto& item = input.prepared.gathered.items[i];
    const auto tokens = item.tokens + item.header_tokens;
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

/// The layout's views as a plan, the most relevant first; without selection, the newest first.
ArtifactPlan layouts_plan(const PlanInput& input, const PlanOutcome& outcome) {
  const auto& relevance = input.layout.relevance;
  std::vector<std::size_t> order(input.prepared.gathered.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto by_relevance = [&](std::size_t a, std::size_t b) { return relevance[a] > relevance[b]; };
  if (input.inputs.request.planning.mode == PlannerMode::none) {
    std::reverse(order.begin(), order.end());
    put_whole_first(input, order);
  } else {
    std::stable_sort(order.begin(), order.end(), by_relevance);
  }
  if (outcome.older) order.insert(order.begin(), outcome.items.size() - 1);
  ArtifactPlan plan;
  for (const auto item : order) {
    plan.artifacts.push_back(layouts_decision(input, outcome, item));
    plan.artifacts.back().priority = static_cast<int>(plan.artifacts.size());
  }
  return plan;
}

std::vector<RepairItem> repair_items(const PlanInput& input, const PlanOutcome& outcome) {
  const auto fallbacks = layouts_plan(input, outcome);
  std::unordered_map<std::string_view, const ArtifactDecision*> by_id;
  for (const auto& decision : fallbacks.artifacts) by_id.emplace(decision.artifact_id, &decision);
  std::vector<RepairItem> items;
  for (std::size_t i = 0; i < outcome.items.size(); ++i) {
    const auto& item = outcome.items[i];
    if (!is_planned(item)) continue;
    const bool chosen = i < input.layout.items.size() && input.layout.items[i];
    // Written shorter without loss, the whole takes less.
    const bool dense = chosen && input.layout.items[i]->view == ArtifactView::dense;
    const bool older = item.kind == ItemKind::older_messages;
    items.push_back({*by_id.at(item.artifact->artifact_id), dense ? input.layout.items[i]->tokens : item.tokens,
                     item.header_tokens, item.artifact->trust, older ? 0.0 : input.layout.relevance[i]});
  }
  return items;
}

/// The decisions by item, and the order in which they give way: what nobody decided on first.
void file_decisions(PlanOutcome& outcome) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < outcome.items.size(); ++i) {
    if (is_planned(outcome.items[i])) index.emplace(outcome.items[i].artifact->artifact_id, i);
  }
  outcome.decisions.assign(outcome.items.size(), {});
  outcome.least_important_first.clear();
  for (const auto& decision : outcome.plan.artifacts) {
    outcome.decisions[index.at(decision.artifact_id)] = decision;
    outcome.least_important_first.push_back(index.at(decision.artifact_id));
  }
  if (!outcome.items.empty() && !is_planned(outcome.items.back()))
    outcome.least_important_first.push_back(outcome.items.size() - 1);
  std::reverse(outcome.least_important_first.begin(), outcome.least_important_first.end());
}

/// What a model looks for is looked for beside the question, never in place of it.
ArtifactPlan with_question(ArtifactPlan plan, const std::string& question) {
  for (auto& decision : plan.artifacts) {
    auto& query = decision.extraction_query;
    if (!query.empty() && query != question) query += "\n" + question;
  }
  return plan;
}

/// A model that leaves out what speaks most of the question is more often wrong than right: part of it stays.
void keep_most_relevant(const std::vector<RepairItem>& items, std::int64_t room, ArtifactPlan& plan) {
  const RepairItem* best = nullptr;
  for (const auto& item : items) {
    if (item.fallback.strategy == ProcessingStrategy::exclude) continue;
    if (best == nullptr || item.relevance > best->relevance) best = &item;
  }
  if (best == nullptr) return;
  for (auto& decision : plan.artifacts) {
    if (decision.artifact_id != best->fallback.artifact_id || decision.strategy != ProcessingStrategy::exclude)
      continue;
    decision = best->fallback;
    if (decision.target_tokens > room / kept_room_divisor) decision.strategy = ProcessingStrategy::rag_extract;
    decision.target_tokens = std::min(decision.target_tokens, room / kept_room_divisor);
    decision.priority = 0;
    decision.relevance_rationale = "the most relevant, which the planner left out";
  }
}

void use_plan(const PlanInput& input, ArtifactPlan plan, PlanSource source, PlanOutcome& outcome) {
  const bool is_models = source == PlanSource::llm || source == PlanSource::kept;
  if (is_models) plan = with_question(std::move(plan), plan_query(input));
  const auto items = repair_items(input, outcome);
  if (is_models && input.refilled) keep_most_relevant(items, block_room(input), plan);
  // A selection was counted as one text, which may be less than its parts together, also where it is given back.
  const bool selected = input.inputs.request.planning.mode != PlannerMode::none;
  auto room = block_room(input);
  if (selected && source == PlanSource::deterministic) room = tokens_of(plan, items);
  if (selected && source == PlanSource::given) {
    room = std::max(room, tokens_of(layouts_plan(input, outcome), items));
    // Texts are often shorter than what they were given, and others took what they left: that stays as it was.
    if (const auto given = tokens_of(plan, items); given <= most_overbooked * room) room = std::max(room, given);
  }
  auto repaired = repair_plan(plan, items, plan_query(input), room);
  outcome.plan = std::move(repaired.plan);
  outcome.source = source;
  if (source == PlanSource::llm || source == PlanSource::given)
    outcome.repairs.insert(outcome.repairs.end(), repaired.changes.begin(), repaired.changes.end());
  file_decisions(outcome);
}

/// With the ids that a long plan was kept without.
ArtifactPlan with_ids(ArtifactPlan plan, const std::vector<Item>& items) {
  std::unordered_map<std::string, std::string> ids;
  for (const auto& item : items)
    if (is_planned(item)) ids.emplace(mark_of_id(item.artifact->artifact_id), item.artifact->artifact_id);
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
  use_plan(input, layouts_plan(input, outcome), layout.everything ? PlanSource::none : PlanSource::deterministic,
           outcome);
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
    use_plan(input, layouts_plan(input, outcome), PlanSource::deterministic, outcome);
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
