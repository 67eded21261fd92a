#include "adapters/redis/error.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ctxmgr::redis {
namespace {

constexpr std::array<std::pair<std::string_view, ErrorCode>, 14> meanings = {{
    {"LOADING", ErrorCode::unavailable},
    {"BUSY", ErrorCode::unavailable},
    {"READONLY", ErrorCode::unavailable},  // a failover: the next connection finds the new master
    {"TRYAGAIN", ErrorCode::unavailable},
    {"CLUSTERDOWN", ErrorCode::unavailable},
    {"MASTERDOWN", ErrorCode::unavailable},
    {"MISCONF", ErrorCode::unavailable},  // it cannot write to its disk
    {"OOM", ErrorCode::limit_exceeded},
    {"NOAUTH", ErrorCode::denied},
    {"WRONGPASS", ErrorCode::denied},
    {"NOPERM", ErrorCode::denied},
    {"MOVED", ErrorCode::invalid_argument},  // a node of a cluster that serves other slots
    {"ASK", ErrorCode::invalid_argument},
    {"CROSSSLOT", ErrorCode::invalid_argument},
}};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

Error error_from_reply(std::string_view reply) {
  auto word = reply.substr(0, reply.find(' '));
  if (word.empty() || word.size() > 20 || !std::all_of(word.begin(), word.end(), is_upper)) word = "ERR";
  const auto* const found =
      std::find_if(meanings.begin(), meanings.end(), [&](const auto& meaning) { return meaning.first == word; });
  const auto code = found == meanings.end() ? ErrorCode::bad_data : found->second;
  auto message = "redis: the server answered " + std::string(word);
  if (code == ErrorCode::invalid_argument)
    message += ": it is one node of a cluster; connect to a proxy in front of it";
  return {code, std::move(message), {}};
}

}  // namespace ctxmgr::redis
