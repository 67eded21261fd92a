#include "engine/tools/rule_use.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/worded.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_named_rules = 10;

std::string listed(const std::vector<std::string>& rules) {
  std::string text;
  for (std::size_t i = 0; i < std::min(rules.size(), most_named_rules); ++i)
    text.append(i == 0 ? "" : ", ").append(rules[i]);
  if (rules.size() > most_named_rules) text += worded(" and {} more", rules.size() - most_named_rules);
  return text;
}

/// The rules that hold for some of the names. Where none does, `find_tool_rule()` gives one of that name, which is none of these.
std::set<std::string> holding_for(const ToolRules& rules, const std::set<std::string_view>& names) {
  std::set<std::string> holding;
  for (const auto name : names) holding.insert(find_tool_rule(rules, name).tool);
  return holding;
}

}  // namespace

RuleUse use_of(const ToolRules& rules, const std::vector<ConversationMessage>& history,
               const std::vector<ToolDefinition>& tools) {
  if (rules.empty()) return {};
  std::set<std::string_view> called;
  for (const auto& message : history)
    for (const auto& call : message.tool_calls) called.insert(call.name);
  std::set<std::string_view> defined;
  for (const auto& tool : tools) defined.insert(tool.name);
  if (called.empty() && defined.empty()) return {};
  const auto for_calls = holding_for(rules, called);
  const auto for_tools = holding_for(rules, defined);
  RuleUse use;
  std::set<std::string_view> seen;
  for (const auto& rule : rules) {
    const bool is_first = seen.insert(rule.tool).second;
    if (is_first && for_calls.count(rule.tool) > 0) use.holding.push_back(rule.tool);
    if (!is_first || (for_calls.count(rule.tool) == 0 && for_tools.count(rule.tool) == 0))
      use.idle.push_back(rule.tool);
  }
  return use;
}

std::string note_of_idle(const RuleUse& use) {
  return use.idle.empty() ? std::string() : "tool rules that hold for no call and no definition: " + listed(use.idle);
}

std::string words_of_holding(const RuleUse& use) {
  return use.holding.empty() ? std::string() : "; tool rules that held: " + listed(use.holding);
}

}  // namespace ctxmgr::engine
