// Addresses as hosts and tenants write them: taken or refused, never with a word of the password, and what is taken stays
// what it is when it is read once more.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adapters/curl/base_url.hpp"
#include "adapters/redis/url.hpp"
#include "adapters/sql/url.hpp"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void no_word_of(const std::string& canary, const ctxmgr::Error& error) {
  demand(error.code == ctxmgr::ErrorCode::invalid_argument);
  demand(error.message.find(canary) == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string canary = "k4n4ri3nv0g3l";
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  if (text.find(canary) != std::string::npos) return 0;  // then it is no secret: it may be the host's name
  for (const std::string& url : {text, "https://" + text, "redis://u:" + canary + "@" + text,
                                 "mysql://u:" + canary + "@" + text, "postgresql://u:" + canary + "@" + text}) {
    const auto base = ctxmgr::http::parse_base_url(url);
    if (base) {
      const auto again = ctxmgr::http::parse_base_url(base->url);
      demand(again && again->url == base->url && again->host == base->host && again->is_https == base->is_https);
      demand(base->url.find(canary) == std::string::npos);
    } else {
      no_word_of(canary, base.error());
    }
    if (const auto redis = ctxmgr::redis::parse_url(url); !redis) no_word_of(canary, redis.error());
    if (const auto sql = ctxmgr::sql::parse_url(url, std::chrono::seconds(1)); !sql) no_word_of(canary, sql.error());
  }
  return 0;
}
