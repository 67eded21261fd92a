#include "core/history/open_calls.hpp"

namespace ctxmgr {

void OpenCalls::open(const std::string& id, const std::string& agent, std::size_t message, std::size_t call) {
  callers_.insert(agent);
  auto& messages = open_[id][agent];
  if (messages.empty() || messages.back().message != message) messages.push_back({message, {}});
  messages.back().calls.push_back(call);
}

OpenCalls::ByAgent::iterator OpenCalls::answered_in(ByAgent& open, const std::string& agent) {
  if (const auto own = open.find(agent); own != open.end() && !agent.empty()) return own;
  const bool is_caller = !agent.empty() && callers_.count(agent) != 0;
  auto nearest = open.end();
  for (auto other = open.begin(); other != open.end(); ++other) {
    if (is_caller && !other->first.empty()) break;  // Nobody's come first.
    if (nearest == open.end() || nearest->second.back().message < other->second.back().message) nearest = other;
  }
  return nearest;
}

std::optional<OpenCalls::Place> OpenCalls::answer(const std::string& id, const std::string& agent) {
  const auto found = open_.find(id);
  if (found == open_.end()) return std::nullopt;
  const auto by = answered_in(found->second, agent);
  if (by == found->second.end()) return std::nullopt;
  OfOneMessage& newest = by->second.back();
  const Place place{newest.message, newest.calls.front()};
  newest.calls.pop_front();
  if (newest.calls.empty()) by->second.pop_back();
  if (by->second.empty()) found->second.erase(by);
  if (found->second.empty()) open_.erase(found);
  return place;
}

}  // namespace ctxmgr
