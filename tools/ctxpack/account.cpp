#include "account.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "ctxmgr/core/json_text.hpp"
#include "literals.hpp"

namespace ctxpack {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;

Recall& Recall::operator+=(const Recall& other) {
  asked += other.asked;
  found += other.found;
  return *this;
}

Figures& Figures::operator+=(const Figures& other) {
  for (auto field : {&Figures::steps, &Figures::failed, &Figures::over_budget, &Figures::tokens, &Figures::cached,
                     &Figures::evaluated, &Figures::rewrites, &Figures::compactions, &Figures::torn})
    this->*field += other.*field;
  for (const auto& [key, recall] : other.recalls) recalls[key] += recall;
  usd += other.usd;
  return *this;
}

Recall Figures::recall(Measure measure, const std::string& form) const {
  const auto found = recalls.find({measure, form});
  return found == recalls.end() ? Recall() : found->second;
}

MessagePool::MessagePool(const RecordedRun& run, const ctxmgr::TokenCounter& counter) : counter_(counter) {
  for (const auto& message : run.messages) run_.push_back(add(message));
  own_ = entries_.size();
}

std::size_t MessagePool::add(const ConversationMessage& message) {
  const auto [found, is_new] = numbers_.emplace(ctxmgr::to_openai_json({message}), entries_.size());
  if (!is_new) return found->second;
  Entry entry{message.role, ctxmgr::text_of(message), searched_text(message), flat_text(message),
              counter_.count_message(message)};
  for (const auto& call : message.tool_calls) entry.calls.push_back(call.id);
  if (message.role == Role::tool) entry.answered = message.tool_call_id;
  entries_.push_back(std::move(entry));
  return found->second;
}

bool MessagePool::is_whole(const std::vector<std::size_t>& request) const {
  std::set<std::string> open;
  for (const auto number : request) {
    const auto& entry = entries_[number];
    if (entry.role == Role::tool ? open.erase(entry.answered) == 0 : !open.empty()) return false;
    open.insert(entry.calls.begin(), entry.calls.end());
  }
  return open.empty();
}

double MessagePool::found(const Wanted& wanted, const std::vector<std::size_t>& request) {
  const auto stands = [&](const std::string& text) {
    return std::any_of(request.begin(), request.end(), [&](std::size_t number) { return has(number, wanted, text); });
  };
  if (wanted.look != Look::all) return stands(wanted.texts.front()) ? 1 : 0;
  const auto there = std::count_if(wanted.texts.begin(), wanted.texts.end(), stands);
  return static_cast<double>(there) / static_cast<double>(wanted.texts.size());
}

bool MessagePool::has(std::size_t number, const Wanted& wanted, const std::string& text) {
  const auto [known, is_new] = entries_[number].found.emplace(&text, false);
  if (is_new) known->second = search(number, wanted, text);
  return known->second;
}

bool MessagePool::search(std::size_t number, const Wanted& wanted, const std::string& text) const {
  const auto& entry = entries_[number];
  if (wanted.look == Look::name) return stands_in(text, entry.searched);
  if (wanted.look == Look::all) return entry.flat.find(text) != std::string::npos;
  if (!wanted.question.empty() && entry.role == Role::user && entry.content == wanted.question) return false;
  if (has_near(wanted, entry.flat)) return true;
  if (wanted.result == no_message) return false;
  const auto result = run_[wanted.result];
  return number == result ||
         (!entry.answered.empty() && entry.answered == entries_[result].answered && has_any(wanted, entry.flat));
}

std::int64_t MessagePool::common_tokens(std::size_t a, std::size_t b) const {
  const auto& first = entries_[a];
  const auto& second = entries_[b];
  if (first.role != second.role) return 0;
  const auto end =
      std::mismatch(first.content.begin(), first.content.end(), second.content.begin(), second.content.end());
  const auto same = static_cast<std::size_t>(end.first - first.content.begin());
  if (same == 0) return 0;
  return std::min(counter_.count(std::string_view(first.content).substr(0, same)), second.tokens - 1);
}

void Account::sent(std::size_t step, const std::vector<std::size_t>& request) {
  ++figures_.steps;
  price(request);
  compare(request);
  for (const auto* wanted : scale_.wants.by_step[step]) {
    const Recall recall{1, pool_.found(*wanted, request)};
    figures_.recalls[{wanted->measure, {}}] += recall;
    if (!wanted->form.empty()) figures_.recalls[{wanted->measure, wanted->form}] += recall;
  }
  if (!pool_.is_whole(request)) ++figures_.torn;
  remember(request);
  before_ = request;
}

std::int64_t Account::cached_tokens(const std::vector<std::size_t>& request) const {
  if (requests_.following.empty()) return 0;
  std::int64_t tokens = scale_.tools_tokens;
  const Node* node = &requests_;
  for (const auto number : request) {
    const auto found = node->following.find(number);
    if (found == node->following.end()) {
      std::int64_t most = 0;
      for (const auto& [other, unused] : node->following) most = std::max(most, pool_.common_tokens(other, number));
      return tokens + most;
    }
    tokens += pool_.tokens(number);
    node = found->second.get();
  }
  return tokens;
}

std::int64_t Account::kept_tokens(const std::vector<std::size_t>& request) const {
  if (before_.empty()) return 0;
  const auto [differs, other] = std::mismatch(request.begin(), request.end(), before_.begin(), before_.end());
  std::int64_t tokens = scale_.tools_tokens;
  for (auto number = request.begin(); number != differs; ++number) tokens += pool_.tokens(*number);
  if (differs != request.end() && other != before_.end()) tokens += pool_.common_tokens(*other, *differs);
  return tokens;
}

void Account::remember(const std::vector<std::size_t>& request) {
  Node* node = &requests_;
  for (const auto number : request) {
    auto& following = node->following[number];
    if (following == nullptr) following = std::make_unique<Node>();
    node = following.get();
  }
}

void Account::price(const std::vector<std::size_t>& request) {
  std::int64_t total = pool_.counter().reply_priming_tokens() + scale_.tools_tokens;
  for (const auto number : request) total += pool_.tokens(number);
  if (total > scale_.budget) ++figures_.over_budget;
  const auto least = scale_.model.min_cached_prefix_tokens;
  auto cached = cached_tokens(request);
  if (least == 0 || cached < least) cached = 0;
  ctxmgr::UsageMetadata usage;
  usage.prompt_tokens = total;
  usage.cached_prompt_tokens = cached;
  usage.cache_write_tokens = least > 0 && total >= least ? total - cached : 0;
  figures_.tokens += total;
  figures_.cached += cached;
  figures_.evaluated += total - kept_tokens(request);
  figures_.usd += ctxmgr::cost_of(usage, scale_.model).total_cost_usd();
}

void Account::compare(const std::vector<std::size_t>& request) {
  const bool grew = request.size() >= before_.size() && std::equal(before_.begin(), before_.end(), request.begin());
  if (!grew) ++figures_.rewrites;
  const std::set<std::size_t> now(request.begin(), request.end());
  const bool lost = std::any_of(before_.begin(), before_.end(), [&](std::size_t number) {
    return pool_.is_of_run(number) && now.find(number) == now.end();
  });
  if (lost) ++figures_.compactions;
}

}  // namespace ctxpack
