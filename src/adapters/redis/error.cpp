#include "adapters/redis/error.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/ascii.hpp"

namespace ctxmgr::redis {
namespace {

constexpr std::array<std::pair<std::string_view, ErrorCode>, 13> meanings = {{
    {"LOADING", ErrorCode::unavailable},
    {"BUSY", ErrorCode::unavailable},
    {"READONLY", ErrorCode::unavailable},  // a failover: the next connection finds the new master
    {"TRYAGAIN", ErrorCode::unavailable},
    {"CLUSTERDOWN", ErrorCode::unavailable},
    {"MOVED", ErrorCode::unavailable},  // and moved again, too often to follow
    {"ASK", ErrorCode::unavailable},    // on its way from one node to another
    {"MASTERDOWN", ErrorCode::unavailable},
    {"MISCONF", ErrorCode::unavailable},  // it cannot write to its disk
    {"OOM", ErrorCode::limit_exceeded},
    {"NOAUTH", ErrorCode::denied},
    {"WRONGPASS", ErrorCode::denied},
    {"NOPERM", ErrorCode::denied},
}};

}  // namespace

Error error_from_reply(std::string_view reply) {
  auto word = reply.substr(0, reply.find(' '));
  if (word.empty() || word.size() > 20 || !std::all_of(word.begin(), word.end(), ascii::is_upper)) word = "ERR";
  const auto* const found =
      std::find_if(meanings.begin(), meanings.end(), [&](const auto& meaning) { return meaning.first == word; });
  auto code = found == meanings.end() ? ErrorCode::bad_data : found->second;
  // A script that was told to ask another node, as it cannot: its namespace is on its way there.
  if (reply.find("access a non local key") != reply.npos) code = ErrorCode::unavailable;
  return {code, "redis: the server answered " + std::string(word), {}};
}

}  // namespace ctxmgr::redis
