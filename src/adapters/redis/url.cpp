#include "adapters/redis/url.hpp"

#include <charconv>
#include <utility>

#include "adapters/url/percent_decoded.hpp"

namespace ctxmgr::redis {
namespace {

tl::unexpected<Error> bad(const char* what) {
  return fail(ErrorCode::invalid_argument, std::string("redis URL: ") + what);
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

Result<void> parse_credentials(std::string_view text, Url& url) {
  const auto colon = text.find(':');
  auto user = percent_decoded(text.substr(0, colon));
  auto password = percent_decoded(colon == text.npos ? std::string_view() : text.substr(colon + 1));
  if (!user || !password) return bad("bad percent-encoding in user or password");
  url.user = *std::move(user);
  url.password = *std::move(password);
  return {};
}

Result<void> parse_address(std::string_view text, Url& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == text.npos) return bad("no closing bracket");
    url.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !take_prefix(port, ":")) return bad("bad host");
  } else {
    const auto colon = text.find(':');
    url.host = text.substr(0, colon);
    if (colon != text.npos) port = text.substr(colon + 1);
  }
  if (url.host.empty() || url.host.find('\0') != std::string::npos) return bad("no host");
  if (port.empty()) return {};
  url.port = parse_number(port, 65'535).value_or(0);
  return url.port != 0 ? Result<void>() : bad("bad port");
}

}  // namespace

std::optional<int> parse_number(std::string_view text, int max) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0 || number > max) return std::nullopt;
  return number;
}

void wipe(std::string& text) {
  text.resize(text.capacity());  // short ones, too, that were moved from
  volatile char* byte = text.data();
  for (auto left = text.size(); left > 0; --left) *byte++ = '\0';
  text.clear();
}

Url::~Url() { wipe(password); }

Result<Url> parse_url(std::string_view text) {
  Url url;
  url.tls = take_prefix(text, "rediss://");
  if (!url.tls && !take_prefix(text, "redis://")) return bad("it does not begin with redis:// or rediss://");
  const auto slash = text.find('/');
  const auto database = slash == text.npos ? std::string_view() : text.substr(slash + 1);
  const auto number = database.empty() ? 0 : parse_number(database, 1'000'000);
  if (!number) return bad("bad database number");
  url.database = *number;
  text = text.substr(0, slash);
  if (const auto at = text.rfind('@'); at != text.npos) {
    if (auto parsed = parse_credentials(text.substr(0, at), url); !parsed) return tl::unexpected(parsed.error());
    text.remove_prefix(at + 1);
  }
  if (auto parsed = parse_address(text, url); !parsed) return tl::unexpected(parsed.error());
  return url;
}

}  // namespace ctxmgr::redis
