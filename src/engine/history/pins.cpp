#include "engine/history/pins.hpp"

#include <algorithm>
#include <deque>

#include "engine/history/share.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double most_share = 0.5;
constexpr double left_share = 0.4;

}  // namespace

std::vector<std::size_t> pins_that_give_way(const ThreadAnalysis& thread, std::size_t end, std::int64_t room) {
  std::vector<std::size_t> released;
  std::deque<const Group*> by_rule;
  std::deque<const Group*> by_host;
  std::int64_t tokens = 0;
  for (const auto& group : thread.groups()) {
    if (group.first >= end) break;
    if (!group.pinned && !group.released) continue;
    (group.pinned_by_rule ? by_rule : by_host).push_back(&group);
    tokens += group.tokens;
    if (tokens <= part(most_share, room)) continue;
    while (tokens > part(left_share, room) && !(by_rule.empty() && by_host.empty())) {
      auto& oldest = by_rule.empty() ? by_host : by_rule;
      tokens -= oldest.front()->tokens;
      released.push_back(oldest.front()->first);
      oldest.pop_front();
    }
  }
  std::sort(released.begin(), released.end());
  return released;
}

}  // namespace ctxmgr::engine
