#include "account.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "ctxmgr/core/json_text.hpp"

namespace ctxpack {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;

Figures& Figures::operator+=(const Figures& other) {
  for (auto field : {&Figures::steps, &Figures::failed, &Figures::over_budget, &Figures::tokens, &Figures::cached,
                     &Figures::rewrites, &Figures::compactions, &Figures::literals, &Figures::literals_kept,
                     &Figures::far, &Figures::far_kept})
    this->*field += other.*field;
  usd += other.usd;
  return *this;
}

MessagePool::MessagePool(const RecordedRun& run, const ctxmgr::TokenCounter& counter) : counter_(counter) {
  for (const auto& message : run.messages) run_.push_back(add(message));
  own_ = entries_.size();
}

std::size_t MessagePool::add(const ConversationMessage& message) {
  const auto [found, is_new] = numbers_.emplace(ctxmgr::to_openai_json({message}), entries_.size());
  if (is_new)
    entries_.push_back(
        {message.role, ctxmgr::text_of(message), searched_text(message), counter_.count_message(message)});
  return found->second;
}

bool MessagePool::has(std::size_t number, const std::string& literal) {
  auto& entry = entries_[number];
  const auto [known, is_new] = entry.found.emplace(literal, false);
  if (is_new) known->second = stands_in(literal, entry.searched);
  return known->second;
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
  search(step, request);
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

void Account::remember(const std::vector<std::size_t>& request) {
  Node* node = &requests_;
  for (const auto number : request) {
    auto& following = node->following[number];
    if (following == nullptr) following = std::make_unique<Node>();
    node = following.get();
  }
}

void Account::price(const std::vector<std::size_t>& request) {
  std::int64_t total = ctxmgr::reply_priming_tokens + scale_.tools_tokens;
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

void Account::search(std::size_t step, const std::vector<std::size_t>& request) {
  for (const auto& literal : scale_.needed[step]) {
    const bool kept = std::any_of(request.begin(), request.end(),
                                  [&](std::size_t number) { return pool_.has(number, literal.text); });
    ++figures_.literals;
    figures_.literals_kept += kept ? 1 : 0;
    figures_.far += literal.far ? 1 : 0;
    figures_.far_kept += literal.far && kept ? 1 : 0;
  }
}

Figures account_for_everything(const RecordedRun& run, MessagePool& pool, const Scale& scale) {
  Account account(pool, scale);
  std::vector<std::size_t> request;
  for (std::size_t step = 0; step < run.messages.size(); ++step) {
    if (step > 0 && run.messages[step].role == Role::assistant) account.sent(step, request);
    request.push_back(pool.run()[step]);
  }
  return account.figures();
}

namespace {

/// The messages before `step` from `cut` on, and the older ones that stay.
std::vector<std::size_t> cut_request(const RecordedRun& run, const MessagePool& pool, std::size_t step,
                                     std::size_t cut) {
  std::size_t first_user = step;
  std::size_t last_user = step;
  for (std::size_t i = 0; i < step; ++i) {
    if (run.messages[i].role != Role::user) continue;
    first_user = std::min(first_user, i);
    last_user = i;
  }
  std::vector<std::size_t> request;
  for (std::size_t i = 0; i < step; ++i) {
    const auto role = run.messages[i].role;
    const bool stays = role == Role::system || role == Role::developer || i == first_user || i == last_user;
    if (i >= cut || stays) request.push_back(pool.run()[i]);
  }
  return request;
}

std::int64_t size_of(const std::vector<std::size_t>& request, const MessagePool& pool, const Scale& scale) {
  std::int64_t total = ctxmgr::reply_priming_tokens + scale.tools_tokens;
  for (const auto number : request) total += pool.tokens(number);
  return total;
}

}  // namespace

Figures account_for_cut_to_half(const RecordedRun& run, MessagePool& pool, const Scale& scale) {
  Account account(pool, scale);
  std::size_t cut = 0;
  for (std::size_t step = 1; step < run.messages.size(); ++step) {
    if (run.messages[step].role != Role::assistant) continue;
    auto request = cut_request(run, pool, step, cut);
    if (size_of(request, pool, scale) > scale.budget) {
      for (std::size_t next = cut + 1; next < step && size_of(request, pool, scale) > scale.budget / 2; ++next) {
        if (run.messages[next].role == Role::tool) continue;
        cut = next;
        request = cut_request(run, pool, step, cut);
      }
    }
    account.sent(step, request);
  }
  return account.figures();
}

}  // namespace ctxpack
