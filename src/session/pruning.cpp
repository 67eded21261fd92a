#include "session/pruning.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/history/open_calls.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/summaries/summarizer_call.hpp"
#include "engine/words/names.hpp"
#include "ports/conversation_checks.hpp"
#include "session/thread_view.hpp"

namespace ctxmgr::session {
namespace {

constexpr std::int64_t leaf_tokens = 20'000;  // of one summary's source, if there are not too many of them
constexpr std::int64_t largest_summary = 2'400;
constexpr std::int64_t smallest_summary = 64;
constexpr std::int64_t summary_row_tokens = 24;  // what a row says beside its summary
constexpr std::int64_t names_share = 3;          // of a summary, for names beside it
constexpr std::int64_t shortening = 8;
constexpr std::int64_t summaries_share = 4;        // of the target; old summaries are joined at half of that
constexpr std::int64_t most_summaries_share = 14;  // of the budget
constexpr std::int64_t newest_share = 4;           // of the target: what is newer goes after everything else

/// Rows that are summarised together or not at all: one row, or a call with its results.
struct Unit {
  std::vector<const ConversationMessage*> rows;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t tokens = 0;
  bool is_protected = false;
  bool summarizable = true;  // every row is marked so, or is a summary

  const std::string& agent() const { return rows.front()->agent; }
  bool is_summary() const { return rows.size() == 1 && rows.front()->summary_of.has_value(); }
};

std::int64_t number(const ConversationMessage& row) { return row.sequence_number.value_or(0); }

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
  OpenCalls open;
  std::map<std::size_t, std::size_t> open_calls;
  for (const auto& row : rows) {
    if (coverage.covers(row) || (row.summary_of && !coverage.is_active(row))) continue;
    const auto call = row.role == Role::tool ? open.answer(row.tool_call_id, row.agent) : std::nullopt;
    if (call) {
      add_row(units[call->message], row, counter);
      --open_calls[call->message];
      continue;
    }
    add_row(units.emplace_back(), row, counter);
    for (const auto& made : row.tool_calls) open.open(made.id, row.agent, units.size() - 1);
    open_calls[units.size() - 1] += row.tool_calls.size();
  }
  std::map<std::string, std::size_t> newest;  // of each agent
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!units[i].is_summary()) newest[units[i].agent()] = i;
  }
  // Once its agent has gone on, nobody answers a call any more.
  for (std::size_t i = 0; i < units.size(); ++i)
    units[i].is_protected |= open_calls[i] > 0 && newest[units[i].agent()] == i;
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

std::string text_of_units(const std::vector<const Unit*>& units) {
  std::string text;
  for (const auto* unit : units)
    for (const auto* row : unit->rows)
      text += (text.empty() ? "" : "\n\n") + (row->summary_of ? text_of(*row) : engine::render_message(*row));
  return text;
}

/// What may go, and in which order.
std::vector<const Unit*> in_order_of_loss(const std::vector<Unit>& units, const PruneLimits& limits) {
  std::int64_t newest = 0;
  std::int64_t old_summaries = 0;
  for (const auto& unit : units) old_summaries += unit.is_summary() ? unit.tokens : 0;
  const bool joins_summaries = old_summaries > limits.target_tokens / summaries_share / 2;
  std::vector<std::pair<int, const Unit*>> ranked;
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
    newest += unit->tokens;
    if (unit->is_protected || (unit->is_summary() && !joins_summaries)) continue;
    const bool is_other = !unit->agent().empty() && !limits.agent.empty() && unit->agent() != limits.agent;
    const bool is_new = newest <= limits.target_tokens / newest_share;
    ranked.emplace_back(is_new ? 3 : unit->summarizable ? 0 : is_other ? 1 : 2, &*unit);
  }
  std::reverse(ranked.begin(), ranked.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Unit*> order;
  for (const auto& [rank, unit] : ranked) order.push_back(unit);
  return order;
}

/// What a row with a summary of so many tokens may take.
std::int64_t row_tokens(std::int64_t summary) { return summary + summary / names_share + summary_row_tokens; }

/// Each agent's units next to each other among its own, none longer than a leaf, by their beginnings.
std::vector<std::vector<const Unit*>> stretches_of(const std::vector<Unit>& units, const std::set<const Unit*>& chosen,
                                                   std::int64_t leaf) {
  struct Open {
    std::vector<const Unit*> units;
    std::int64_t tokens = 0;
  };
  std::vector<std::vector<const Unit*>> stretches;
  std::map<std::string, Open> open;
  const auto close = [&](Open& stretch) {
    const bool only_a_summary = stretch.units.size() == 1 && stretch.units.front()->is_summary();
    if (!stretch.units.empty() && !only_a_summary) stretches.push_back(std::move(stretch.units));
    stretch = {};
  };
  for (const auto& unit : units) {
    Open& stretch = open[unit.agent()];
    const bool goes = chosen.count(&unit) != 0;
    if (!goes || stretch.tokens + unit.tokens > leaf) close(stretch);
    if (!goes) continue;
    stretch.units.push_back(&unit);
    stretch.tokens += unit.tokens;
  }
  for (auto& [agent, stretch] : open) close(stretch);
  std::sort(stretches.begin(), stretches.end(),
            [](const auto& a, const auto& b) { return a.front()->first < b.front()->first; });
  return stretches;
}

/// A range without its texts.
struct Stretch {
  std::vector<const Unit*> units;
  std::int64_t tokens = 0;
  std::int64_t target_tokens = 0;
};

std::int64_t tokens_of(const std::vector<const Unit*>& units) {
  return std::accumulate(units.begin(), units.end(), std::int64_t{0},
                         [](std::int64_t sum, const Unit* unit) { return sum + unit->tokens; });
}

/// Stretches of what was chosen that are worth a summary, and what is left then of the thread.
struct Outcome {
  std::vector<Stretch> stretches;
  std::int64_t left = 0;
};

Outcome outcome_of(const std::vector<Unit>& units, const std::set<const Unit*>& chosen, const PruneLimits& limits) {
  const std::int64_t covered = tokens_of({chosen.begin(), chosen.end()});
  // What the summaries may take. Where they turn out shorter, that much less than the target is left.
  const std::int64_t room = std::min(
      {covered / shortening, limits.target_tokens / summaries_share, limits.budget_tokens / most_summaries_share});
  const std::int64_t most = std::min(static_cast<std::int64_t>(limits.max_ranges), room / row_tokens(smallest_summary));
  const std::size_t enough = static_cast<std::size_t>(std::max<std::int64_t>(1, most));
  auto stretches = stretches_of(units, chosen, leaf_tokens);
  // Pins and agents part stretches, too: where they are many, longer leaves do not help.
  for (std::int64_t leaf = leaf_tokens; stretches.size() > enough && leaf < covered; leaf += leaf / 4) {
    stretches = stretches_of(units, chosen, leaf);
  }
  Outcome outcome;
  for (const auto& unit : units) outcome.left += unit.tokens;
  for (auto& stretch : stretches) {
    const auto tokens = tokens_of(stretch);
    const auto share = static_cast<std::int64_t>(static_cast<double>(room) * static_cast<double>(tokens) /
                                                 static_cast<double>(covered));
    const auto for_summary = (share - summary_row_tokens) * names_share / (names_share + 1);
    const auto target = std::clamp(for_summary, smallest_summary, largest_summary);
    if (tokens <= 2 * row_tokens(target)) continue;
    outcome.left += row_tokens(target) - tokens;
    outcome.stretches.push_back({std::move(stretch), tokens, target});
  }
  return outcome;
}

/// As few of the units as the target wants: stretches that are not worth a summary leave more than was thought, so that
/// what is left is measured. All where that is not enough.
std::vector<Stretch> stretches_to_go(const std::vector<Unit>& units, const PruneLimits& limits) {
  constexpr int most_given_back = 16;  // Each time everything is measured.
  const auto order = in_order_of_loss(units, limits);
  std::set<const Unit*> chosen;
  const auto outcome_of_first = [&](std::size_t count) {
    chosen = {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count)};
    return outcome_of(units, chosen, limits);
  };
  std::vector<std::size_t> counts(order.size());
  std::iota(counts.begin(), counts.end(), std::size_t{1});
  const auto is_too_few = [&](std::size_t count) { return outcome_of_first(count).left > limits.target_tokens; };
  const auto enough = std::partition_point(counts.begin(), counts.end(), is_too_few);
  Outcome best = outcome_of_first(enough == counts.end() ? order.size() : *enough);
  // A large row that goes last may make room for some that went before it.
  int given_back = 0;
  for (auto unit = order.rbegin(); unit != order.rend() && given_back < most_given_back; ++unit) {
    if ((*unit)->tokens > limits.target_tokens - best.left || chosen.erase(*unit) == 0) continue;
    ++given_back;
    if (auto without = outcome_of(units, chosen, limits); without.left <= limits.target_tokens)
      best = std::move(without);
    else
      chosen.insert(*unit);
  }
  return best.stretches;
}

PruneRange range_of(const Stretch& stretch) {
  PruneRange made;
  made.agent = stretch.units.front()->agent();
  made.range = {stretch.units.front()->first, stretch.units.front()->last};
  made.tokens = stretch.tokens;
  made.target_tokens = stretch.target_tokens;
  made.text = text_of_units(stretch.units);
  for (const auto* unit : stretch.units) {
    made.range = {std::min(made.range.first, unit->first), std::max(made.range.last, unit->last)};
    for (const auto* row : unit->rows) made.messages.push_back(*row);
  }
  return made;
}

/// Names of a range that `text` does not say already, newest message first.
std::string names_beside(const PruneRange& range, const std::string& text, const TokenCounter& counter) {
  constexpr std::string_view introduction = "\nNames:";
  auto left = range.target_tokens / names_share - counter.count(introduction);
  const auto of_text = engine::names_in(text);
  std::unordered_set<std::string> said;
  for (const auto name : of_text) said.emplace(name);
  std::string names;
  for (auto message = range.messages.rbegin(); message != range.messages.rend(); ++message) {
    const auto written = engine::render_message(*message);
    for (const auto name : engine::names_in(written)) {
      if (!said.emplace(name).second) continue;
      const auto piece = " " + std::string(name);
      left -= counter.count(piece);
      if (left < 0) return names.empty() ? names : std::string(introduction) + names;
      names += piece;
    }
  }
  return names.empty() ? names : std::string(introduction) + names;
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
  for (const auto& stretch : stretches_to_go(units, limits)) plan.ranges.push_back(range_of(stretch));
  return plan;
}

std::vector<std::string> summarize_ranges(const std::vector<PruneRange>& ranges, const std::string& focus,
                                          const SummaryWriter& writer, const TokenCounter& counter,
                                          const CallOptions& call) {
  std::vector<std::string> texts(ranges.size());
  if (writer.client) {
    std::vector<std::size_t> asked(ranges.size());
    std::iota(asked.begin(), asked.end(), std::size_t{0});
    std::stable_sort(asked.begin(), asked.end(),
                     [&](std::size_t a, std::size_t b) { return ranges[a].tokens > ranges[b].tokens; });
    asked.resize(std::min(asked.size(), writer.max_calls));
    std::vector<LlmRequest> requests;
    for (const std::size_t i : asked) {
      requests.push_back(engine::make_summary_request(ranges[i].text, engine::conversation_provenance, focus,
                                                      ranges[i].target_tokens, writer.model, writer.instructions));
      requests.back().scope = writer.scope;
    }
    const auto replies = engine::ask_all(*writer.client, requests, call, writer.listener);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (!replies[k]) continue;
      const PruneRange& range = ranges[asked[k]];
      texts[asked[k]] =
          engine::accept_summary(*replies[k], range.text, range.target_tokens, counter, writer.instructions)
              .value_or("");
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

ConversationMessage summary_row(const PruneRange& range, const std::string& text, const TokenCounter& counter) {
  ConversationMessage row{Role::user, content_of(range, text + names_beside(range, text, counter))};
  row.agent = range.agent;
  row.summary_of = range.range;
  return row;
}

}  // namespace ctxmgr::session
