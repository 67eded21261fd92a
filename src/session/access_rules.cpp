#include "session/access_rules.hpp"

#include <utility>

namespace ctxmgr {

Access access_of(const std::vector<AccessRule>& rules, std::string_view agent, std::string_view key) {
  auto access = Access::read_write;
  std::pair<std::size_t, bool> best{0, false};  // length of the prefix, whether the agent is named
  for (const auto& rule : rules) {
    if (!rule.agent.empty() && rule.agent != agent) continue;
    if (!key.starts_with(rule.key_prefix)) continue;
    const std::pair weight{rule.key_prefix.size(), !rule.agent.empty()};
    if (weight < best) continue;
    best = weight;
    access = rule.access;
  }
  return access;
}

}  // namespace ctxmgr
