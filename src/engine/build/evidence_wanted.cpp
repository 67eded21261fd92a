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

}  // namespace

std::int64_t most_evidence(double share, std::int64_t room) {
  return std::max(part(share, room), std::min(least_tokens, part(least_share, room)));
}

std::int64_t evidence_wanted(std::string_view message, bool is_loop, double share, std::int64_t room) {
  const auto most = most_evidence(share, room);
  const auto names = names_in(message);
  if (asks(message) || (is_loop && std::any_of(names.begin(), names.end(), is_identifier))) return most;
  return is_loop || !names.empty() ? std::min(most, part(passing_share, room)) : 0;
}

}  // namespace ctxmgr::engine
