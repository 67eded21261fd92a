#include "session/thread_view.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/history/open_calls.hpp"
#include "core/instruction_role.hpp"
#include "ctxmgr/session/conversation.hpp"
#include "ports/conversation_checks.hpp"

namespace ctxmgr::session {
namespace {

constexpr std::size_t page_rows = 256;
// Rows in a row that add nothing to a view, before it is taken that nothing older does.
constexpr std::size_t fruitless_rows = 1'024;
// A pinned tool result is looked for this far from its call.
constexpr std::int64_t group_reach = 128;
// A view begins at about twice the budget, and keeps its beginning until it has grown to three times.
constexpr std::int64_t fresh_budgets = 2;
constexpr std::int64_t kept_budgets = 3;
// Summaries are always sent while they take no more of the budget than this; past it, they compete like other rows.
constexpr std::int64_t view_summaries_share = 4;

std::int64_t row_number(const ConversationMessage& row) { return row.sequence_number.value_or(0); }

/// Where a row stands in a view.
std::int64_t position(const ConversationMessage& row) {
  return row.summary_of ? row.summary_of->last : row_number(row);
}

/// The newest rows of a thread that a viewer sees, page by page.
class NewestRows {
 public:
  NewestRows(const ViewRequest& request, const Coverage& coverage, const TokenCounter& counter)
      : request_(request), coverage_(coverage), counter_(counter) {}

  Result<void> read(ConversationStore& store, std::string_view id, const CallOptions& call) {
    MessageQuery query;
    query.newest_first = true;
    query.last_sequence = request_.last_sequence;
    query.limit = page_rows;
    while (query.last_sequence >= 1 && !is_enough(query.last_sequence + 1)) {
      auto page = store.load(id, query, call);
      if (!page) return tl::unexpected(page.error());
      if (page->empty()) break;
      for (auto& row : *page) {
        if (is_enough(row_number(row) + 1)) return {};
        first_read_ = row_number(row);
        query.last_sequence = row_number(row) - 1;
        take(std::move(row));
      }
    }
    return {};
  }

  /// Newest first, none older than `first_read()`.
  std::vector<ConversationMessage> take_rows() {
    const bool keep_hint = tokens_ <= kept_budgets * request_.budget_tokens;
    if (!keep_hint && fresh_first_ > 0) {
      first_read_ = fresh_first_;
      std::erase_if(rows_, [this](const auto& row) { return row_number(row) < first_read_; });
    }
    return std::move(rows_);
  }
  std::int64_t first_read() const { return first_read_; }

 private:
  void take(ConversationMessage row) {
    if (conversation::is_fixed(row) || !request_.viewer.sees(row) || coverage_.covers(row)) {
      ++fruitless_;
      return;
    }
    fruitless_ = 0;
    tokens_ += counter_.count_message(row);
    rows_.push_back(std::move(row));
    if (fresh_first_ == 0 && tokens_ >= fresh_budgets * request_.budget_tokens) fresh_first_ = first_read_;
  }

  bool is_enough(std::int64_t oldest_read) const {
    if (fruitless_ >= fruitless_rows) return true;
    const std::int64_t budget = request_.budget_tokens;
    if (request_.first_hint > 0 && oldest_read > request_.first_hint) return tokens_ > kept_budgets * budget;
    // Where the thread stands further back than it did, the hint may leave too little.
    const bool at_hint = request_.first_hint > 0 && tokens_ >= budget;
    return at_hint || tokens_ >= fresh_budgets * budget;
  }

  const ViewRequest& request_;
  const Coverage& coverage_;
  const TokenCounter& counter_;
  std::vector<ConversationMessage> rows_;
  std::int64_t first_read_ = 0;
  std::int64_t fresh_first_ = 0;  // where a view would begin that has no hint
  std::int64_t tokens_ = 0;
  std::size_t fruitless_ = 0;
};

constexpr std::size_t no_caller = static_cast<std::size_t>(-1);

/// For each message the one whose call it answers.
std::vector<std::size_t> callers_of(const std::vector<ConversationMessage>& messages) {
  std::vector<std::size_t> callers(messages.size(), no_caller);
  OpenCalls open;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& message = messages[i];
    if (message.role == Role::tool) {
      if (const auto call = open.answer(message.tool_call_id, message.agent)) callers[i] = call->message;
    }
    for (const auto& call : message.tool_calls) open.open(call.id, message.agent, i);
  }
  return callers;
}

/// The rows around a pinned call or result that belong to its group.
Result<void> add_group_of(const ConversationMessage& pinned, ConversationStore& store, std::string_view id,
                          const ViewRequest& request, std::map<std::int64_t, ConversationMessage>& rows,
                          const CallOptions& call) {
  MessageQuery query;
  query.first_sequence = row_number(pinned) - group_reach;
  query.last_sequence = std::min(row_number(pinned) + group_reach, request.last_sequence);
  auto around = load_all(store, id, query, call);
  if (!around) return tl::unexpected(around.error());
  const auto callers = callers_of(*around);
  std::size_t caller = no_caller;
  for (std::size_t i = 0; i < around->size(); ++i) {
    if (row_number((*around)[i]) == row_number(pinned)) caller = pinned.role == Role::tool ? callers[i] : i;
  }
  if (caller == no_caller) return {};
  for (std::size_t i = caller; i < around->size(); ++i) {
    if (i == caller || callers[i] == caller) rows.emplace(row_number((*around)[i]), (*around)[i]);
  }
  return {};
}

/// Marks summaries as always to be sent, while they are few.
void keep_summaries(std::vector<ConversationMessage>& view, std::int64_t budget_tokens, const TokenCounter& counter) {
  std::int64_t tokens = 0;
  for (const auto& row : view) tokens += row.summary_of ? counter.count_message(row) : 0;
  if (tokens > budget_tokens / view_summaries_share) return;
  for (auto& row : view) {
    if (row.summary_of) row.retention = Retention::pinned;
  }
}

}  // namespace

bool Viewer::sees(const ConversationMessage& row) const {
  if (row.agent.empty() || row.agent == agent) return true;
  return !is_instruction(row) && (visible_agents.empty() || visible_agents.count(row.agent) != 0);
}

Coverage::Coverage(const std::vector<ConversationMessage>& rows) {
  for (const auto& row : rows) {
    if (!row.summary_of) continue;
    const SequenceRange range = *row.summary_of;
    std::erase_if(active_, [&](const Summary& older) {
      return older.agent == row.agent && older.range.first >= range.first && older.range.last <= range.last;
    });
    active_.push_back({row_number(row), range, row.agent});
  }
}

bool Coverage::covers(const ConversationMessage& row) const {
  if (conversation::is_fixed(row)) return false;
  return std::any_of(active_.begin(), active_.end(), [&](const Summary& summary) {
    return summary.agent == row.agent && summary.range.first <= row_number(row) &&
           row_number(row) <= summary.range.last;
  });
}

bool Coverage::is_active(const ConversationMessage& summary) const {
  return std::any_of(active_.begin(), active_.end(),
                     [&](const Summary& active) { return active.sequence_number == row_number(summary); });
}

Result<ThreadView> read_view(ConversationStore& store, std::string_view conversation_id, const ViewRequest& request,
                             const TokenCounter& counter, const CallOptions& call) {
  ThreadView view;
  if (request.last_sequence < 1) return view;
  MessageQuery fixed_query;
  fixed_query.fixed_only = true;
  fixed_query.last_sequence = request.last_sequence;
  auto fixed = load_all(store, conversation_id, fixed_query, call);
  if (!fixed) return tl::unexpected(fixed.error());
  const Coverage coverage(*fixed);
  NewestRows newest(request, coverage, counter);
  if (auto read = newest.read(store, conversation_id, call); !read) return tl::unexpected(read.error());

  std::map<std::int64_t, ConversationMessage> rows;
  for (auto& row : newest.take_rows()) rows.emplace(row_number(row), std::move(row));
  view.first_read = newest.first_read();
  for (auto& row : *fixed) {
    if (!request.viewer.sees(row) || (row.summary_of && !coverage.is_active(row))) continue;
    const bool of_a_group = row.role == Role::tool || !row.tool_calls.empty();
    if (of_a_group) {
      auto added = add_group_of(row, store, conversation_id, request, rows, call);
      if (!added) return tl::unexpected(added.error());
    }
    rows.emplace(row_number(row), std::move(row));
  }
  for (auto& [sequence, row] : rows) view.messages.push_back(std::move(row));
  std::stable_sort(view.messages.begin(), view.messages.end(),
                   [](const auto& a, const auto& b) { return position(a) < position(b); });
  keep_summaries(view.messages, request.budget_tokens, counter);
  return view;
}

std::vector<ConversationMessage> with_whole_groups(std::vector<ConversationMessage> messages,
                                                   const std::string& agent) {
  const auto callers = callers_of(messages);
  std::vector<std::vector<std::size_t>> results(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (callers[i] != no_caller) results[callers[i]].push_back(i);
  }
  std::vector<ConversationMessage> whole;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role == Role::tool) continue;
    if (results[i].size() < messages[i].tool_calls.size() && messages[i].agent != agent) continue;
    whole.push_back(std::move(messages[i]));
    for (const std::size_t result : results[i]) whole.push_back(std::move(messages[result]));
  }
  return whole;
}

}  // namespace ctxmgr::session
