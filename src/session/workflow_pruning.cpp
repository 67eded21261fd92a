#include <algorithm>
#include <utility>

#include "core/sha256.hpp"
#include "ctxmgr/session/conversation.hpp"
#include "engine/planning/budget.hpp"
#include "engine/structure/plain_line.hpp"
#include "engine/summaries/summarizer_call.hpp"
#include "session/pruning.hpp"
#include "session/thread_view.hpp"
#include "session/workflow_impl.hpp"

namespace ctxmgr {
namespace {

// A prune that others overtake with theirs begins anew so often.
constexpr int max_prunes = 5;
// Rows that others append while summaries are written are no reason to write them again.
constexpr int max_appends = 100;

constexpr std::size_t most_question_chars = 180;  // Of two, what a summariser is told of what matters.

bool is_share(double value) { return value > 0.0 && value <= 1.0; }

std::string prune_key(const std::vector<session::PruneRange>& ranges) {
  Sha256 hash;
  for (const auto& range : ranges) {
    hash.update_field(range.agent);
    hash.update_field(std::to_string(range.range.first) + "-" + std::to_string(range.range.last));
  }
  return "ctxmgr:prune:" + hash.hex();
}

/// The user's last words, and those before them: alone, a short question says little.
std::string question_in(const std::vector<ConversationMessage>& messages) {
  std::string question;
  int found = 0;
  for (auto message = messages.rbegin(); message != messages.rend() && found < 2; ++message) {
    if (message->role != Role::user || message->summary_of) continue;
    question += (found++ > 0 ? "\n" : "") + engine::plain_line(text_of(*message), most_question_chars);
  }
  return question;
}

}  // namespace

Result<PruneReport> Workflow::Impl::prune(const PruneRequest& request, LlmClient* client, const CallOptions& call) {
  if (auto checked = engine::check(request.request.history); !checked) return tl::unexpected(checked.error());
  if (auto checked = engine::check(request.request.planning.summary_instructions); !checked)
    return tl::unexpected(checked.error());
  if (!is_share(request.at_fill) || !is_share(request.target_fill)) {
    return fail(ErrorCode::invalid_argument, "at_fill and target_fill have to be above 0 and up to 1");
  }
  for (int i = 0; i < max_prunes; ++i) {
    auto report = prune_once(request, client, call);
    if (!report) return tl::unexpected(report.error());
    if (*report) return **report;
  }
  return fail(ErrorCode::conflict, "the thread is pruned by others all the time");
}

/// nullopt: others added summaries meanwhile, over rows that these may stand for, too.
Result<std::optional<PruneReport>> Workflow::Impl::prune_once(const PruneRequest& request, LlmClient* client,
                                                              const CallOptions& call) {
  const auto known = info(call);
  if (!known) return tl::unexpected(known.error());
  PruneReport report;
  report.tokens_before = report.tokens_after = known->estimated_tokens;
  const auto budget = static_cast<double>(budget_of(request.request, options.manager.catalog()));
  session::PruneLimits limits;
  limits.agent = request.agent;
  limits.budget_tokens = static_cast<std::int64_t>(budget * request.at_fill);
  limits.target_tokens = static_cast<std::int64_t>(budget * request.target_fill);
  limits.max_ranges = std::max<std::size_t>(1, request.request.planning.max_llm_calls);
  if (known->estimated_tokens <= limits.budget_tokens) return report;

  MessageQuery query;
  query.last_sequence = known->last_sequence;
  const auto rows = load_all(store(), id(), query, call);
  if (!rows) return tl::unexpected(rows.error());
  const auto plan = session::plan_pruning(*rows, limits, *counter);
  report.tokens_before = report.tokens_after = plan.tokens;
  if (plan.ranges.empty()) return report;

  const session::SummaryWriter writer{client,
                                      request.request.models.summarizer,
                                      listener(),
                                      scope_of(request.request),
                                      request.request.planning.max_llm_calls,
                                      request.request.planning.summary_instructions};
  const auto& asked = request.request.query;
  const auto focus = asked.empty() ? question_in(*rows) : asked;
  const auto texts = session::summarize_ranges(plan.ranges, focus, writer, *counter, call);
  std::vector<ConversationMessage> summaries;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    summaries.push_back(session::summary_row(plan.ranges[i], texts[i], *counter));
    report.rows_covered += plan.ranges[i].messages.size();
    report.tokens_after += counter->count_message(summaries.back()) - plan.ranges[i].tokens;
  }
  auto range = append_summaries(summaries, prune_key(plan.ranges), known->last_sequence, call);
  if (!range) return tl::unexpected(range.error());
  if (range->last == 0) return std::nullopt;
  report.summaries = *range;
  return report;
}

/// {0, 0}: others added summaries after `last_sequence`.
Result<SequenceRange> Workflow::Impl::append_summaries(const std::vector<ConversationMessage>& summaries,
                                                       const std::string& key, std::int64_t last_sequence,
                                                       const CallOptions& call) {
  AppendOptions once;
  once.idempotency_key = key;
  once.expected_last_sequence = last_sequence;
  for (int i = 0; i < max_appends; ++i) {
    auto range = store().append(id(), summaries, once, call);
    if (range || range.error().code != ErrorCode::conflict) return range;
    const auto now = info(call);
    if (!now) return tl::unexpected(now.error());
    MessageQuery added;
    added.fixed_only = true;
    added.first_sequence = *once.expected_last_sequence + 1;
    added.last_sequence = now->last_sequence;
    const auto fixed = load_all(store(), id(), added, call);
    if (!fixed) return tl::unexpected(fixed.error());
    for (const auto& row : *fixed) {
      if (row.summary_of) return SequenceRange{0, 0};
    }
    once.expected_last_sequence = now->last_sequence;
  }
  return fail(ErrorCode::conflict, "others append to the thread all the time");
}

Result<PruneReport> Workflow::Impl::prune_if_due(const std::vector<AgentTurn>& turns, const CallOptions& call) {
  PruneReport report;
  if (!options.automatic_pruning) return report;
  const auto known = info(call);
  if (!known) return tl::unexpected(known.error());
  for (const auto& turn : turns) {
    if (turn.at_sequence || report.rows_covered > 0) continue;
    session::ViewRequest wanted;
    wanted.viewer = {turn.agent, {turn.visible_agents.begin(), turn.visible_agents.end()}};
    wanted.last_sequence = known->last_sequence;
    wanted.budget_tokens = budget_of(turn.request, options.manager.catalog());
    const auto view = session::read_view(store(), id(), wanted, *counter, call);
    if (!view) return tl::unexpected(view.error());
    std::int64_t tokens = 0;
    for (const auto& row : view->messages) tokens += counter->count_message(row);
    const auto& policy = *options.automatic_pruning;
    if (static_cast<double>(tokens) <= policy.at_fill * static_cast<double>(wanted.budget_tokens)) continue;
    PruneRequest request{turn.request, turn.agent, policy.at_fill, policy.target_fill};
    // What is asked now is no row yet.
    if (request.request.query.empty()) request.request.query = question_in(turn.messages);
    auto pruned = prune(request, policy.summarizer.get(), call);
    if (!pruned && pruned.error().code != ErrorCode::conflict) return pruned;
    if (pruned) report = *pruned;
  }
  return report;
}

}  // namespace ctxmgr
