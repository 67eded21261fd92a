#include "account.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "ctxmgr/core/json_text.hpp"

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
                     &Figures::rewrites, &Figures::compactions, &Figures::literals, &Figures::literals_kept,
                     &Figures::far, &Figures::far_kept, &Figures::words, &Figures::words_kept, &Figures::far_words,
                     &Figures::far_words_kept, &Figures::task, &Figures::torn})
    this->*field += other.*field;
  asked_back += other.asked_back;
  asked_back_next += other.asked_back_next;
  for (const auto& [form, recall] : other.by_form) by_form[form] += recall;
  usd += other.usd;
  return *this;
}

namespace {

/// Content, and the calls with their arguments: where answers are looked for.
std::string flat_text(const ConversationMessage& message) {
  std::string text = ctxmgr::text_of(message);
  for (const auto& call : message.tool_calls) text += "\n" + call.name + " " + call.arguments_json;
  return flat(text);
}

}  // namespace

MessagePool::MessagePool(const RecordedRun& run, const ctxmgr::TokenCounter& counter)
    : counter_(counter), is_asked_(!run.asks.empty()) {
  for (const auto& message : run.messages) run_.push_back(add(message));
  own_ = entries_.size();
}

std::size_t MessagePool::add(const ConversationMessage& message) {
  const auto [found, is_new] = numbers_.emplace(ctxmgr::to_openai_json({message}), entries_.size());
  if (!is_new) return found->second;
  Entry entry{message.role, ctxmgr::text_of(message), searched_text(message), counter_.count_message(message)};
  for (const auto& call : message.tool_calls) entry.calls.push_back(call.id);
  if (message.role == Role::tool) entry.answered = message.tool_call_id;
  if (is_asked_) entry.flat = flat_text(message);
  entries_.push_back(std::move(entry));
  return found->second;
}

bool MessagePool::answers(std::size_t number, const Ask& ask) const {
  const auto& entry = entries_[number];
  return !(entry.role == Role::user && entry.content == ask.question) && has_parts(ask, entry.flat);
}

bool MessagePool::has_path(std::size_t number, const std::string& path) const {
  return entries_[number].flat.find(path) != std::string::npos;
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

Account::Account(const RecordedRun& run, MessagePool& pool, const Scale& scale)
    : run_(run), pool_(pool), scale_(scale) {
  const auto is_user = [](const auto& message) { return message.role == Role::user; };
  const auto task = std::find_if(run.messages.begin(), run.messages.end(), is_user);
  const auto at = static_cast<std::size_t>(task - run.messages.begin());
  task_ = task == run.messages.end() ? static_cast<std::size_t>(-1) : pool.run()[at];
}

void Account::sent(std::size_t step, const std::vector<std::size_t>& request) {
  ++figures_.steps;
  price(request);
  compare(request);
  search(step, request);
  answer(step, request);
  if (std::find(request.begin(), request.end(), task_) != request.end()) ++figures_.task;
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

bool Account::is_kept(const NeededLiteral& literal, const std::vector<std::size_t>& request) {
  return std::any_of(request.begin(), request.end(),
                     [&](std::size_t number) { return pool_.has(number, literal.text); });
}

void Account::search(std::size_t step, const std::vector<std::size_t>& request) {
  for (const auto& literal : scale_.needed[step]) {
    const bool kept = is_kept(literal, request);
    ++figures_.literals;
    figures_.literals_kept += kept ? 1 : 0;
    figures_.far += literal.far ? 1 : 0;
    figures_.far_kept += literal.far && kept ? 1 : 0;
  }
  for (const auto& word : scale_.words[step]) {
    const bool kept = is_kept(word, request);
    ++figures_.words;
    figures_.words_kept += kept ? 1 : 0;
    figures_.far_words += word.far ? 1 : 0;
    figures_.far_words_kept += word.far && kept ? 1 : 0;
  }
}

void Account::answer(std::size_t step, const std::vector<std::size_t>& request) {
  for (const auto& asked : scale_.asked[step]) {
    const auto& ask = run_.asks[asked.ask];
    const auto is_named = [&](const std::string& path) {
      return std::any_of(request.begin(), request.end(), [&](std::size_t n) { return pool_.has_path(n, path); });
    };
    const bool answered =
        std::any_of(request.begin(), request.end(), [&](std::size_t n) { return pool_.answers(n, ask); });
    const auto named = std::count_if(ask.paths.begin(), ask.paths.end(), is_named);
    const double found =
        ask.paths.empty() ? (answered ? 1.0 : 0.0) : static_cast<double>(named) / static_cast<double>(ask.paths.size());
    (asked.is_first ? figures_.asked_back : figures_.asked_back_next) += {1, found};
    if (asked.is_first) figures_.by_form[ask.form] += {1, found};
  }
}

}  // namespace ctxpack
