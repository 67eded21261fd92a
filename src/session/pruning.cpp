#include "session/pruning.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/summaries/summarizer_call.hpp"
#include "ports/conversation_checks.hpp"
#include "session/thread_view.hpp"

namespace ctxmgr::session {
namespace {

constexpr std::int64_t leaf_tokens = 20'000;  // of one summary's source
constexpr std::int64_t largest_summary = 2'400;
constexpr std::int64_t smallest_summary = 64;
constexpr std::int64_t shortening = 8;

/// Rows that are summarised together or not at all: one row, or a call with its results.
struct Unit {
  std::vector<const ConversationMessage*> rows;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t tokens = 0;
  bool is_protected = false;
  bool summarizable = true;  // every row is marked so, or is a summary

  const std::string& agent() const { return rows.front()->agent; }
};

std::int64_t number(const ConversationMessage& row) { return row.sequence_number.value_or(0); }

std::int64_t summary_tokens(std::int64_t source_tokens) {
  return std::clamp(source_tokens / shortening, smallest_summary, largest_summary);
}

void add_row(Unit& unit, const ConversationMessage& row, const TokenCounter& counter) {
  const SequenceRange range = row.summary_of.value_or(SequenceRange{number(row), number(row)});
  unit.first = unit.rows.empty() ? range.first : std::min(unit.first, range.first);
  unit.last = std::max(unit.last, range.last);
  unit.rows.push_back(&row);
  unit.tokens += counter.count_message(row);
  unit.is_protected |= conversation::is_fixed(row) && !row.summary_of;
  unit.summarizable &= row.retention == Retention::summarizable || row.summary_of.has_value();
}

/// Every row that later contexts read, in units, by position.
std::vector<Unit> units_of(const std::vector<ConversationMessage>& rows, const TokenCounter& counter) {
  const Coverage coverage(rows);
  std::vector<Unit> units;
  std::map<std::string, std::size_t> unit_of_call;  // by call id; a later call of the same id is another one
  std::map<std::size_t, std::size_t> open_calls;
  for (const auto& row : rows) {
    if (coverage.covers(row) || (row.summary_of && !coverage.is_active(row))) continue;
    const auto caller = row.role == Role::tool ? unit_of_call.find(row.tool_call_id) : unit_of_call.end();
    if (caller != unit_of_call.end()) {
      add_row(units[caller->second], row, counter);
      --open_calls[caller->second];
      unit_of_call.erase(caller);
      continue;
    }
    add_row(units.emplace_back(), row, counter);
    for (const auto& call : row.tool_calls) unit_of_call[call.id] = units.size() - 1;
    open_calls[units.size() - 1] += row.tool_calls.size();
  }
  for (std::size_t i = 0; i < units.size(); ++i) units[i].is_protected |= open_calls[i] > 0;
  std::stable_sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) { return a.last < b.last; });
  return units;
}

/// The last user message and everything after it.
void protect_current_turn(std::vector<Unit>& units) {
  const auto last_question = std::find_if(units.rbegin(), units.rend(), [](const Unit& unit) {
    return unit.rows.front()->role == Role::user && !unit.rows.front()->summary_of;
  });
  for (auto at = units.rbegin(); last_question != units.rend(); ++at) {
    at->is_protected = true;
    if (at == last_question) return;
  }
}

/// Units of one agent whose rows lie between each other's become one: a range over one would take parts of the other
/// along.
std::vector<Unit> merge_entangled(std::vector<Unit> units) {
  std::stable_sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) { return a.first < b.first; });
  std::vector<Unit> merged;
  std::map<std::string, std::size_t> newest;  // of each agent
  for (auto& unit : units) {
    const auto before = newest.find(unit.agent());
    if (before == newest.end() || merged[before->second].last < unit.first) {
      newest[unit.agent()] = merged.size();
      merged.push_back(std::move(unit));
      continue;
    }
    Unit& into = merged[before->second];
    into.rows.insert(into.rows.end(), unit.rows.begin(), unit.rows.end());
    std::stable_sort(into.rows.begin(), into.rows.end(), [](auto* a, auto* b) { return number(*a) < number(*b); });
    into.last = std::max(into.last, unit.last);
    into.tokens += unit.tokens;
    into.is_protected |= unit.is_protected;
    into.summarizable &= unit.summarizable;
  }
  return merged;
}

PruneRange range_of(const std::vector<const Unit*>& units) {
  PruneRange made;
  made.agent = units.front()->agent();
  made.range = {units.front()->first, units.front()->last};
  for (const auto* unit : units) {
    made.range = {std::min(made.range.first, unit->first), std::max(made.range.last, unit->last)};
    made.tokens += unit->tokens;
    made.rows += unit->rows.size();
    for (const auto* row : unit->rows) {
      made.text += made.text.empty() ? "" : "\n\n";
      if (!row->summary_of)
        made.text += row->role == Role::user ? "user: " : row->role == Role::tool ? "tool: " : "assistant: ";
      made.text += text_of(*row);
      for (const auto& call : row->tool_calls) made.text += "\n[call " + call.name + "(" + call.arguments_json + ")]";
    }
  }
  made.target_tokens = summary_tokens(made.tokens);
  return made;
}

bool is_worth_it(const std::vector<const Unit*>& units) {
  const bool only_a_summary = units.size() == 1 && units.front()->rows.front()->summary_of;
  std::int64_t tokens = 0;
  for (const auto* unit : units) tokens += unit->tokens;
  return !only_a_summary && tokens > 2 * summary_tokens(tokens);
}

/// Runs of eligible units of one agent, none longer than a leaf, by their beginnings.
template <class Eligible>
std::vector<std::vector<const Unit*>> runs_of(const std::vector<Unit>& units, Eligible eligible) {
  std::vector<std::vector<const Unit*>> runs;
  struct Open {
    std::vector<const Unit*> units;
    std::int64_t tokens = 0;
  };
  std::map<std::string, Open> open;
  const auto close = [&](Open& run) {
    if (!run.units.empty() && is_worth_it(run.units)) runs.push_back(std::move(run.units));
    run = {};
  };
  for (const auto& unit : units) {
    Open& run = open[unit.agent()];
    if (unit.is_protected || !eligible(unit)) {
      close(run);
      continue;
    }
    if (run.tokens + unit.tokens > leaf_tokens) close(run);
    run.units.push_back(&unit);
    run.tokens += unit.tokens;
  }
  for (auto& [agent, run] : open) close(run);
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.front()->first < b.front()->first; });
  return runs;
}

std::string content_of(const PruneRange& range, const std::string& text) {
  return "[Summary of messages " + std::to_string(range.range.first) + " to " + std::to_string(range.range.last) +
         (range.agent.empty() ? "" : " by " + range.agent) + "]\n" + text;
}

}  // namespace

PrunePlan plan_pruning(const std::vector<ConversationMessage>& rows, const PruneLimits& limits,
                       const TokenCounter& counter) {
  PrunePlan plan;
  std::vector<Unit> units = units_of(rows, counter);
  for (const auto& unit : units) plan.tokens += unit.tokens;
  if (plan.tokens <= limits.budget_tokens) return plan;
  protect_current_turn(units);
  units = merge_entangled(std::move(units));
  std::int64_t left = plan.tokens;
  std::set<const Unit*> planned;
  const auto run_phase = [&](auto eligible) {
    for (const auto& run : runs_of(units, [&](const Unit& unit) { return eligible(unit) && !planned.count(&unit); })) {
      if (left <= limits.target_tokens) return;
      plan.ranges.push_back(range_of(run));
      left -= plan.ranges.back().tokens - plan.ranges.back().target_tokens;
      planned.insert(run.begin(), run.end());
    }
  };
  run_phase([](const Unit& unit) { return unit.summarizable; });
  run_phase([&](const Unit& unit) { return limits.agent.empty() || unit.agent() != limits.agent; });
  run_phase([](const Unit&) { return true; });
  std::sort(plan.ranges.begin(), plan.ranges.end(),
            [](const PruneRange& a, const PruneRange& b) { return a.range.first < b.range.first; });
  return plan;
}

std::vector<std::string> summarize_ranges(const std::vector<PruneRange>& ranges, const std::string& focus,
                                          const SummaryWriter& writer, const TokenCounter& counter,
                                          const CallOptions& call) {
  std::vector<std::string> texts(ranges.size());
  if (writer.client) {
    std::vector<LlmRequest> requests;
    for (const auto& range : ranges) {
      requests.push_back(engine::make_summary_request(range.text, "the conversation so far", focus, range.target_tokens,
                                                      writer.model));
      requests.back().scope = writer.scope;
    }
    const auto replies = engine::ask_all(*writer.client, requests, call, writer.listener);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (!replies[i]) continue;
      texts[i] = engine::accept_summary(*replies[i], ranges[i].text, ranges[i].target_tokens, counter).value_or("");
    }
  }
  const Retriever retriever;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!texts[i].empty()) continue;
    Artifact artifact = make_document("conversation", ranges[i].text);
    artifact.artifact_type = ArtifactType::conversation;
    texts[i] = retriever.summarize(artifact, focus, ranges[i].target_tokens, counter).text;
  }
  return texts;
}

ConversationMessage summary_row(const PruneRange& range, const std::string& text) {
  ConversationMessage row{Role::user, content_of(range, text)};
  row.agent = range.agent;
  row.summary_of = range.range;
  return row;
}

}  // namespace ctxmgr::session
