#include "baselines.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "literals.hpp"
#include "plain_search.hpp"

namespace ctxpack {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;

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

constexpr double largest_result = 0.4;  // Of the budget.
constexpr double left_after_cut = 0.5;
constexpr std::size_t name_count_that_matters = 3;
constexpr double characters_per_token = 3.2;  // Of names.

std::string shortened(const std::string& text, std::size_t length) {
  const auto continues = [&](std::size_t i) { return i < text.size() && (text[i] & '\xC0') == '\x80'; };
  auto head = length / 2;
  auto tail = text.size() - length / 2;
  while (head > 0 && continues(head)) --head;
  while (continues(tail)) ++tail;
  return text.substr(0, head) + "\n[... truncated ...]\n" + text.substr(tail);
}

/// One run under the policy: the cut moves on, and what it leaves is added up.
class Tail {
 public:
  Tail(const RecordedRun& run, MessagePool& pool, const Scale& scale, const TailOptions& options)
      : run_(run), pool_(pool), scale_(scale), options_(options), passages_(run.messages.size()) {
    text_protocol_ = is_text_protocol(run.messages);
    const auto is_user = [](const auto& message) { return message.role == Role::user; };
    first_user_ = static_cast<std::size_t>(std::find_if(run.messages.begin(), run.messages.end(), is_user) -
                                           run.messages.begin());
    for (std::size_t i = 0; i < run.messages.size(); ++i) own_.push_back(cut_result(i));
  }

  std::vector<std::size_t> request_before(std::size_t step) {
    const Ask* ask = asked_at(step);
    const auto need = ask != nullptr ? options_.block_tokens : 0;
    if (size_of(request(step)) + need > scale_.budget) {
      const double left = left_after_cut - options_.names_share;
      const auto most = static_cast<std::int64_t>(left * static_cast<double>(scale_.budget)) - need;
      for (auto next = cut_ + 1; next < step && size_without_names(step) > most; ++next)
        if (run_.messages[next].role != Role::tool) cut_ = next;
      if (options_.names_share > 0) names_ = {pool_.add({Role::user, names_line()})};
    }
    if (ask != nullptr && need > 0) add_block(*ask);
    return request(step);
  }

 private:
  [[nodiscard]] bool stays(std::size_t i) const {
    const auto role = run_.messages[i].role;
    return role == Role::system || role == Role::developer;
  }

  std::size_t cut_result(std::size_t i) {
    const auto& message = run_.messages[i];
    const auto whole = pool_.run()[i];
    const auto most = static_cast<std::int64_t>(largest_result * static_cast<double>(scale_.budget));
    const bool is_result =
        message.role == Role::tool || (text_protocol_ && message.role == Role::user && i > first_user_);
    if (!is_result || pool_.tokens(whole) <= most) return whole;
    const auto text = ctxmgr::text_of(message);
    auto number = whole;
    auto keep =
        0.9 * static_cast<double>(text.size()) * static_cast<double>(most) / static_cast<double>(pool_.tokens(whole));
    for (; pool_.tokens(number) > most && keep >= 1; keep *= 0.9) {
      auto shorter = message;
      shorter.content = shortened(text, static_cast<std::size_t>(keep));
      number = pool_.add(shorter);
    }
    return number;
  }

  [[nodiscard]] const Ask* asked_at(std::size_t step) const {
    for (const auto& ask : run_.asks)
      if (ask.at + 1 == step) return &ask;
    return nullptr;
  }

  /// System messages, names, the first and the last user message, then what follows the cut.
  [[nodiscard]] std::vector<std::size_t> request(std::size_t step) const {
    std::vector<std::size_t> sent;
    std::size_t last_user = step;
    for (std::size_t i = 0; i < step; ++i)
      if (run_.messages[i].role == Role::user) last_user = i;
    for (std::size_t i = 0; i < cut_; ++i)
      if (stays(i)) sent.push_back(own_[i]);
    sent.insert(sent.end(), names_.begin(), names_.end());
    if (first_user_ < cut_) sent.push_back(own_[first_user_]);
    if (last_user < cut_ && last_user != first_user_) sent.push_back(own_[last_user]);
    for (auto i = cut_; i < step; ++i) {
      if (const auto block = blocks_.find(i); block != blocks_.end()) sent.push_back(block->second);
      sent.push_back(own_[i]);
    }
    return sent;
  }

  [[nodiscard]] std::int64_t size_of(const std::vector<std::size_t>& request) const {
    std::int64_t total = pool_.counter().reply_priming_tokens() + scale_.tools_tokens;
    for (const auto number : request) total += pool_.tokens(number);
    return total;
  }

  [[nodiscard]] std::int64_t size_without_names(std::size_t step) const {
    auto size = size_of(request(step));
    for (const auto number : names_) size -= pool_.tokens(number);
    return size;
  }

  /// The names in what was cut, the most frequent first, then the newest.
  std::string names_line() {
    std::map<std::string, std::pair<std::size_t, std::size_t>> found;  // How often, and where last.
    for (std::size_t i = 0; i < cut_; ++i) {
      if (stays(i)) continue;
      for (const auto& name : names_of(own_[i], i)) {
        auto& [count, newest] = found[name];
        count = std::min(count + 1, name_count_that_matters);
        newest = i;
      }
    }
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::string>> ranked;
    for (const auto& [name, score] : found) ranked.emplace_back(score, name);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string line = "Names in what was left out (data):";
    double used = 0;
    for (const auto& [score, name] : ranked) {
      used += static_cast<double>(name.size()) / characters_per_token + 1;
      if (used > options_.names_share * static_cast<double>(scale_.budget)) break;
      line += " " + name;
    }
    return line;
  }

  const std::vector<std::string>& names_of(std::size_t number, std::size_t i) {
    const auto [found, is_new] = name_lists_.try_emplace(number);
    if (is_new) found->second = names_in(searched_text(run_.messages[i]));
    return found->second;
  }

  /// What a result is of: the values of its call, or the code block before it.
  [[nodiscard]] std::string heading_of(std::size_t i) const {
    const auto& message = run_.messages[i];
    for (auto k = i; k-- > 0;) {
      const auto& before = run_.messages[k];
      if (before.role != Role::assistant) continue;
      for (const auto& call : before.tool_calls)
        if (message.role == Role::tool && call.id == message.tool_call_id) {
          ConversationMessage alone{Role::assistant, ""};
          alone.tool_calls = {call};
          const auto text =
              searched_text(alone);  // Its values, a line each, behind an empty line; a call may have none.
          return text.empty() ? text : text.substr(1);
        }
      const auto blocks = text_protocol_ && message.role == Role::user ? code_blocks(ctxmgr::text_of(before))
                                                                       : std::vector<std::string>();
      return blocks.empty() ? "" : blocks.back();
    }
    return "";
  }

  void add_block(const Ask& ask) {
    std::vector<const Passage*> searched;
    for (std::size_t i = 0; i < cut_; ++i) {
      const auto is_question = [&](const Ask& other) { return other.at == i; };
      if (stays(i) || i == first_user_ || std::any_of(run_.asks.begin(), run_.asks.end(), is_question)) continue;
      if (passages_[i].empty()) passages_[i] = passages_of(heading_of(i), searched_text(run_.messages[i]));
      for (const auto& passage : passages_[i]) searched.push_back(&passage);
    }
    const auto block = best_passages(searched, ask.question, options_.block_tokens, pool_.counter());
    if (!block.empty()) blocks_[ask.at] = pool_.add({Role::user, block});
  }

  const RecordedRun& run_;
  MessagePool& pool_;
  const Scale& scale_;
  const TailOptions& options_;
  bool text_protocol_ = false;
  std::size_t first_user_ = 0;
  std::size_t cut_ = 0;
  std::vector<std::size_t> own_;    ///< The run's messages with long results shortened.
  std::vector<std::size_t> names_;  ///< One message or none.
  std::map<std::size_t, std::size_t> blocks_;
  std::unordered_map<std::size_t, std::vector<std::string>> name_lists_;
  std::vector<std::vector<Passage>> passages_;  ///< By message, once it was cut.
};

}  // namespace

Figures account_for_tail(const RecordedRun& run, MessagePool& pool, const Scale& scale, const TailOptions& options) {
  Account account(pool, scale);
  Tail tail(run, pool, scale, options);
  for (std::size_t step = 1; step < run.messages.size(); ++step)
    if (run.messages[step].role == Role::assistant) account.sent(step, tail.request_before(step));
  return account.figures();
}

}  // namespace ctxpack
