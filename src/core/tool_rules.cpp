#include "ctxmgr/core/tool_rules.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t most_rules = 200;
constexpr std::size_t longest_name = 200;

/// By which agents write what they have done and what is left, without `_` and in small letters.
constexpr std::array<std::string_view, 9> plan_tools = {
    "updateplan",     "todowrite",   "writetodos", "updatetodolist", "updatetodos",
    "managetodolist", "todolistset", "setplan",    "writeplan",
};

bool is_plan_tool(std::string_view tool) {
  std::string plain;
  for (const char c : tool)
    if (c != '_' && c != '-') plain += ascii::lower_case(c);
  return std::find(plan_tools.begin(), plan_tools.end(), plain) != plan_tools.end();
}

/// `*` takes as few letters as it can, and more where the rest does not fit: linear in pattern × name.
bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

ToolRule find_tool_rule(const ToolRules& rules, std::string_view tool) {
  const auto rule = std::find_if(rules.begin(), rules.end(), [tool](const ToolRule& r) { return fits(r.tool, tool); });
  if (rule != rules.end()) return *rule;
  ToolRule known;
  known.tool = std::string(tool);
  if (is_plan_tool(tool)) known.retention = ToolRetention::keeps_latest;
  return known;
}

Result<void> check_tool_rules(const ToolRules& rules) {
  if (rules.size() > most_rules) return fail(ErrorCode::invalid_argument, "tool_rules: more than 200");
  for (const auto& rule : rules) {
    if (rule.tool.empty() || rule.tool.size() > longest_name)
      return fail(ErrorCode::invalid_argument, "tool_rules: a tool's name has 1 to 200 bytes");
    if (rule.max_result_tokens.value_or(1) <= 0)
      return fail(ErrorCode::invalid_argument, "tool_rules: max_result_tokens has to be positive");
  }
  return {};
}

}  // namespace ctxmgr
