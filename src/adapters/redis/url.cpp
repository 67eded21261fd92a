#include "adapters/redis/url.hpp"

#include <utility>

#include "adapters/servers/server_url.hpp"

namespace ctxmgr::redis {
namespace {

tl::unexpected<Error> bad(const std::string& what) { return fail(ErrorCode::invalid_argument, "redis URL: " + what); }

}  // namespace

void wipe(std::string& text) {
  text.resize(text.capacity());  // short ones, too, that were moved from
  volatile char* byte = text.data();
  for (auto left = text.size(); left > 0; --left) *byte++ = '\0';
  text.clear();
}

Url::~Url() { wipe(password); }

Result<Url> parse_url(std::string_view text) {
  const auto parts = parse_server_url(text);
  if (!parts) return bad(parts.error().message);
  Url url;
  url.tls = parts->scheme == "rediss";
  if (!url.tls && parts->scheme != "redis") return bad("it does not begin with redis:// or rediss://");
  auto user = percent_decoded(parts->user);
  auto password = percent_decoded(parts->password);
  if (!user || !password) return bad("bad percent-encoding in user or password");
  url.user = *std::move(user);
  url.password = *std::move(password);
  url.host = parts->host;
  if (url.host.empty() || url.host.find('\0') != std::string::npos) return bad("no host");
  if (parts->port != 0) url.port = parts->port;
  const auto database = parts->path.empty() ? 0 : parse_number(parts->path, 1'000'000);
  if (!database || !parts->query.empty()) return bad("bad database number");
  url.database = *database;
  return url;
}

}  // namespace ctxmgr::redis
