#include "engine/tools/tool_choice.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "ctxmgr/engine/tool_search.hpp"
#include "engine/tools/tool_ranking.hpp"

namespace ctxmgr::engine {
namespace {

/// Names in quotes of a text: what a result of `search_tools` has found is among them.
void add_quoted(std::string_view text, std::unordered_set<std::string>& names) {
  for (std::size_t at = text.find('"'); at != std::string_view::npos;) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) return;
    names.emplace(text.substr(at + 1, end - at - 1));
    at = end;
  }
}

/// What the thread has called or found.
std::unordered_set<std::string> used_names(const std::vector<ConversationMessage>& messages) {
  std::unordered_set<std::string> names;
  std::unordered_set<std::string> searches;
  for (const ConversationMessage& message : messages) {
    for (const ToolCall& call : message.tool_calls) {
      names.insert(call.name);
      if (call.name == search_tools_name) searches.insert(call.id);
    }
    if (message.role == Role::tool && searches.count(message.tool_call_id) > 0) add_quoted(text_of(message), names);
  }
  return names;
}

class Chooser {
 public:
  Chooser(const BuildRequest& request, const TokenCounter& counter)
      : tools_(request.tools),
        budget_(*request.tools_budget),
        offers_search_(request.offers_tool_search),
        counter_(counter),
        search_tokens_(counter.count_tools({search_tools_definition()})),
        sent_(tools_.size(), false) {}

  void take_always(const std::unordered_set<std::string>& used, const std::vector<std::string>& pinned) {
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      const std::string& name = tools_[i].name;
      sent_[i] = name.empty() || name == search_tools_name || used.count(name) > 0 ||
                 std::find(pinned.begin(), pinned.end(), name) != pinned.end();
    }
    tokens_ = counter_.count_tools(sent());
  }

  /// As far as they fit, in this order. What one adds is an estimate, all together are counted.
  void take(const std::vector<std::size_t>& order) {
    std::vector<std::size_t> taken;
    for (const std::size_t i : order) {
      if (sent_[i]) continue;
      const std::int64_t more = counter_.count_tools({search_tools_definition(), tools_[i]}) - search_tokens_;
      if (tokens_ + more > budget_) continue;
      tokens_ += more;
      sent_[i] = true;
      taken.push_back(i);
    }
    tokens_ = counter_.count_tools(sent());
    for (; tokens_ > budget_ && !taken.empty(); taken.pop_back()) {
      sent_[taken.back()] = false;
      tokens_ = counter_.count_tools(sent());
    }
  }

  /// What is left of the budget goes to tools that nothing speaks for, the smallest first: most of them get in so.
  /// The last of them gives its place to the largest that fits.
  void fill() {
    std::vector<std::pair<std::int64_t, std::size_t>> rest;
    for (std::size_t i = 0; i < tools_.size(); ++i)
      if (!sent_[i]) rest.emplace_back(counter_.count_tools({tools_[i]}), i);
    std::sort(rest.begin(), rest.end());
    std::vector<std::size_t> order;
    for (const auto& [tokens, i] : rest) order.push_back(i);
    const std::vector<bool> before = sent_;
    take(order);
    const auto last = std::find_if(order.rbegin(), order.rend(), [&](auto i) { return sent_[i] && !before[i]; });
    if (last != order.rend()) replace(*last, order);
  }

  /// The largest that fits, of those by size, stands in the place of this one.
  void replace(std::size_t last, const std::vector<std::size_t>& by_size) {
    sent_[last] = false;
    for (auto i = by_size.rbegin(); i != by_size.rend(); ++i) {
      if (sent_[*i]) continue;
      sent_[*i] = true;
      tokens_ = counter_.count_tools(sent());
      if (tokens_ <= budget_) return;
      sent_[*i] = false;
    }
    sent_[last] = true;
    tokens_ = counter_.count_tools(sent());
  }

  ToolChoice choice() const {
    ToolChoice choice{sent(), {}, tokens_, std::max(tokens_, budget_)};
    for (std::size_t i = 0; i < tools_.size(); ++i)
      if (!sent_[i]) choice.left_out.push_back(tools_[i].name);
    return choice;
  }

 private:
  std::vector<ToolDefinition> sent() const {
    std::vector<ToolDefinition> sent;
    bool searches = false;
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      if (!sent_[i]) continue;
      sent.push_back(tools_[i]);
      searches = searches || tools_[i].name == search_tools_name;
    }
    if (!searches && offers_search_) sent.push_back(search_tools_definition());
    return sent;
  }

  const std::vector<ToolDefinition>& tools_;
  const std::int64_t budget_;
  const bool offers_search_;
  const TokenCounter& counter_;
  const std::int64_t search_tokens_;
  std::vector<bool> sent_;
  std::int64_t tokens_ = 0;
};

}  // namespace

ToolChoice choose_tools(const BuildRequest& request, const std::vector<ConversationMessage>& history,
                        const std::string& query, const std::vector<std::string>& hints, const TokenCounter& counter,
                        const Retriever& retriever) {
  const std::int64_t all = counter.count_tools(request.tools);
  if (!request.tools_budget || all <= *request.tools_budget) return {request.tools, {}, all, all};
  Chooser chooser(request, counter);
  chooser.take_always(used_names(history), request.pinned_tools);
  chooser.take(rank_tools(request.tools, query, hints, retriever));
  chooser.fill();
  ToolChoice choice = chooser.choice();
  if (choice.left_out.empty()) return {request.tools, {}, all, all};
  return choice;
}

}  // namespace ctxmgr::engine
