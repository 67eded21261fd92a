#include "engine/build/evidence_wanted.hpp"

#include <algorithm>

#include "engine/history/share.hpp"
#include "engine/words/asking.hpp"
#include "engine/words/names.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t least_tokens = 1'200;
constexpr double least_share = 0.2;
constexpr double passing_share = 0.05;
constexpr double least_chat_share = 0.25;

/// In a loop a compaction makes room where less than this is free, and less than half of what is wanted.
constexpr std::int64_t least_free = 600;

WantedEvidence wanted_in_loop(std::int64_t most) { return {most, std::min(least_free, most / 2), most}; }

}  // namespace

std::int64_t most_evidence(double share, std::int64_t room) {
  return std::max(part(share, room), std::min(least_tokens, part(least_share, room)));
}

WantedEvidence evidence_wanted(std::string_view message, bool is_loop, double share, std::int64_t room) {
  const auto most = most_evidence(share, room);
  if (!is_loop && requests(message)) {
    const auto least = std::max(most, part(least_chat_share, room));
    return {room, least, least};
  }
  const auto names = names_in(message);
  if (is_loop && (asks(message) || std::any_of(names.begin(), names.end(), is_identifier))) return wanted_in_loop(most);
  return is_loop || !names.empty() ? wanted_in_loop(std::min(most, part(passing_share, room))) : WantedEvidence{};
}

std::int64_t capped(std::int64_t evidence, const HistoryPolicy& policy) {
  return std::min(evidence, policy.evidence_tokens.value_or(evidence));
}

WantedEvidence capped(const WantedEvidence& wanted, const HistoryPolicy& policy) {
  return {capped(wanted.most, policy), capped(wanted.least, policy), capped(wanted.set_aside, policy)};
}

}  // namespace ctxmgr::engine
