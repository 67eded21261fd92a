#include "ctxmgr/ports/conversation_store.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "ctxmgr/ports/token_counter.hpp"
#include "ports/conversation_checks.hpp"

namespace ctxmgr {

ConversationStore::~ConversationStore() = default;

namespace {

using namespace conversation;

struct Thread {
  ConversationInfo info;
  std::vector<ConversationMessage> rows;  // sequence number − 1 is the position
  std::vector<std::int64_t> fixed_rows;
  std::map<std::string, SequenceRange, std::less<>> ranges_by_key;
  std::vector<SentContext> steps;
};

/// A page of sequence numbers out of an ordered list of them.
template <class Numbers, class Visit>
void for_each_in_page(const Numbers& numbers, const MessageQuery& query, Visit visit) {
  const auto first = std::lower_bound(numbers.begin(), numbers.end(), query.first_sequence);
  const auto last = std::max(first, std::upper_bound(numbers.begin(), numbers.end(), query.last_sequence));
  const auto count = std::min<std::size_t>(query.limit, static_cast<std::size_t>(last - first));
  for (std::size_t i = 0; i < count; ++i) {
    const auto offset = static_cast<std::ptrdiff_t>(i);
    visit(!query.newest_first ? *(first + offset) : *(last - 1 - offset));
  }
}

class MemoryConversationStore final : public ConversationStore {
 public:
  Result<SequenceRange> append(std::string_view conversation_id, const std::vector<ConversationMessage>& messages,
                               const AppendOptions& options, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    if (auto checked = check_append(messages, options); !checked) return tl::unexpected(checked.error());
    const std::scoped_lock lock(mutex_);
    const Thread* existing = find(conversation_id);
    if (existing && !options.idempotency_key.empty()) {
      const auto made = existing->ranges_by_key.find(options.idempotency_key);
      if (made != existing->ranges_by_key.end()) return made->second;
    }
    if (auto allowed = check_may_append(existing ? existing->info : ConversationInfo{}, options); !allowed) {
      return tl::unexpected(allowed.error());
    }
    Thread& thread = find_or_create(conversation_id);
    const SequenceRange range{thread.info.last_sequence + 1,
                              thread.info.last_sequence + static_cast<std::int64_t>(messages.size())};
    for (const auto& message : messages) add_row(thread, message);
    if (!options.idempotency_key.empty()) thread.ranges_by_key.emplace(options.idempotency_key, range);
    return range;
  }

  Result<std::vector<ConversationMessage>> load(std::string_view conversation_id, const MessageQuery& query,
                                                const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    const std::scoped_lock lock(mutex_);
    std::vector<ConversationMessage> page;
    const Thread* thread = find(conversation_id);
    if (!thread) return page;
    const auto take = [&](std::int64_t number) { page.push_back(thread->rows[static_cast<std::size_t>(number - 1)]); };
    if (query.fixed_only) {
      for_each_in_page(thread->fixed_rows, query, take);
      return page;
    }
    const std::int64_t first = std::max<std::int64_t>(query.first_sequence, 1);
    const std::int64_t last = std::min(query.last_sequence, thread->info.last_sequence);
    for (std::int64_t i = 0; first + i <= last && page.size() < query.limit; ++i) {
      take(!query.newest_first ? first + i : last - i);
    }
    return page;
  }

  Result<std::vector<ConversationInfo>> list(std::string_view prefix, std::string_view after_id, std::size_t limit,
                                             const CallOptions& call) override {
    if (auto wanted = check_wanted(call); !wanted) return tl::unexpected(wanted.error());
    const std::scoped_lock lock(mutex_);
    std::vector<ConversationInfo> page;
    auto at = after_id < prefix ? threads_.lower_bound(prefix) : threads_.upper_bound(after_id);
    for (; at != threads_.end() && page.size() < limit; ++at) {
      if (std::string_view(at->first).substr(0, prefix.size()) != prefix) break;
      page.push_back(at->second.info);
    }
    return page;
  }

  Result<std::optional<ConversationInfo>> info(std::string_view conversation_id, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    const std::scoped_lock lock(mutex_);
    const Thread* thread = find(conversation_id);
    return thread ? std::optional(thread->info) : std::nullopt;
  }

  Result<void> set_status(std::string_view conversation_id, ConversationStatus status,
                          const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return checked;
    const std::scoped_lock lock(mutex_);
    const auto at = threads_.find(conversation_id);
    if (at == threads_.end()) return fail(ErrorCode::not_found, "no such conversation");
    at->second.info.status = status;
    return {};
  }

  Result<std::int64_t> record_step(std::string_view conversation_id, const SentContext& sent,
                                   const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    const std::scoped_lock lock(mutex_);
    const Thread* existing = find(conversation_id);
    if (auto allowed = check_may_record(existing ? existing->info : ConversationInfo{}, sent); !allowed) {
      return tl::unexpected(allowed.error());
    }
    Thread& thread = find_or_create(conversation_id);
    thread.steps.push_back(sent);
    SentContext& step = thread.steps.back();
    step.step_number = ++thread.info.last_step;
    step.created_at = to_milliseconds(sent.created_at.value_or(std::chrono::system_clock::now()));
    return step.step_number;
  }

  Result<SentContext> load_step(std::string_view conversation_id, std::int64_t step_number,
                                const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return tl::unexpected(checked.error());
    const std::scoped_lock lock(mutex_);
    const Thread* thread = find(conversation_id);
    if (!thread || step_number < 1 || step_number > thread->info.last_step) {
      return fail(ErrorCode::not_found, "no such step");
    }
    return thread->steps[static_cast<std::size_t>(step_number - 1)];
  }

  Result<void> erase(std::string_view conversation_id, const CallOptions& call) override {
    if (auto checked = check(conversation_id, call); !checked) return checked;
    const std::scoped_lock lock(mutex_);
    if (const auto at = threads_.find(conversation_id); at != threads_.end()) threads_.erase(at);
    return {};
  }

 private:
  const Thread* find(std::string_view conversation_id) const {
    const auto at = threads_.find(conversation_id);
    return at == threads_.end() ? nullptr : &at->second;
  }

  Thread& find_or_create(std::string_view conversation_id) {
    Thread& thread = threads_[std::string(conversation_id)];
    thread.info.conversation_id = conversation_id;
    return thread;
  }

  void add_row(Thread& thread, const ConversationMessage& message) {
    thread.rows.push_back(message);
    ConversationMessage& row = thread.rows.back();
    row.sequence_number = ++thread.info.last_sequence;
    row.created_at = to_milliseconds(message.created_at.value_or(std::chrono::system_clock::now()));
    for (auto& step : row.reasoning_steps) {
      if (step.timestamp) step.timestamp = to_milliseconds(*step.timestamp);
    }
    thread.info.estimated_tokens += counter_->count_message(row);
    if (is_fixed(row)) thread.fixed_rows.push_back(*row.sequence_number);
  }

  std::mutex mutex_;
  std::map<std::string, Thread, std::less<>> threads_;  // ordered: lists come in byte order
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

}  // namespace

std::unique_ptr<ConversationStore> make_memory_conversation_store() {
  return std::make_unique<MemoryConversationStore>();
}

}  // namespace ctxmgr
