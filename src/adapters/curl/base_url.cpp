#include "adapters/curl/base_url.hpp"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

namespace ctxmgr::http {
namespace {

struct UrlCleanup {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlCleanup>;

std::string part_of(const Url& url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, 0) != CURLUE_OK) return {};
  std::string copy(text);
  curl_free(text);
  return copy;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

bool is_loopback_host(const std::string& host) {
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24U) == 127;
}

struct Ipv4Block {
  std::uint32_t network;
  unsigned prefix_bits;
};

// IANA's special-purpose registry: what is not globally reachable.
constexpr std::array<Ipv4Block, 14> special_ipv4 = {{{0x00000000, 8},
                                                     {0x0A000000, 8},
                                                     {0x64400000, 10},
                                                     {0x7F000000, 8},
                                                     {0xA9FE0000, 16},
                                                     {0xAC100000, 12},
                                                     {0xC0000000, 24},
                                                     {0xC0000200, 24},
                                                     {0xC0A80000, 16},
                                                     {0xC6120000, 15},
                                                     {0xC6336400, 24},
                                                     {0xCB007100, 24},
                                                     {0xE0000000, 4},
                                                     {0xF0000000, 4}}};

bool is_public_ipv4(std::uint32_t address) {
  return std::none_of(special_ipv4.begin(), special_ipv4.end(), [address](const Ipv4Block& block) {
    return ((address ^ block.network) >> (32 - block.prefix_bits)) == 0;
  });
}

std::uint32_t ipv4_at(const std::uint8_t* bytes) {
  std::uint32_t address = 0;
  std::memcpy(&address, bytes, sizeof(address));
  return ntohl(address);
}

bool is_public_ipv6(const std::array<std::uint8_t, 16>& bytes) {
  constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  constexpr std::array<std::uint8_t, 12> nat64 = {0, 0x64, 0xff, 0x9b};
  if (std::equal(mapped.begin(), mapped.end(), bytes.begin())) return is_public_ipv4(ipv4_at(&bytes[12]));
  if (std::equal(nat64.begin(), nat64.end(), bytes.begin())) return is_public_ipv4(ipv4_at(&bytes[12]));
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return is_public_ipv4(ipv4_at(&bytes[2]));  // 6to4
  const bool documentation = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0x0d && bytes[3] == 0xb8;
  const bool teredo = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0 && bytes[3] == 0;
  return (bytes[0] & 0xe0U) == 0x20 && !documentation && !teredo;  // Global unicast is 2000::/3.
}

}  // namespace

Result<BaseUrl> parse_base_url(const std::string& url) {
  const auto refuse = [](const char* why) { return fail(ErrorCode::invalid_argument, std::string("base_url ") + why); };
  if (has_control_characters(url) || url.find(' ') != std::string::npos) {
    return refuse("contains white space or control characters");
  }
  const Url handle(curl_url());
  if (!handle || curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    return refuse("is no absolute http or https URL, such as https://api.openai.com/v1");
  }
  const auto scheme = part_of(handle, CURLUPART_SCHEME);
  BaseUrl base;
  base.host = part_of(handle, CURLUPART_HOST);
  if ((scheme != "https" && scheme != "http") || base.host.empty()) {
    return refuse("is no absolute http or https URL, such as https://api.openai.com/v1");
  }
  if (!part_of(handle, CURLUPART_USER).empty() || !part_of(handle, CURLUPART_PASSWORD).empty()) {
    return refuse("holds a user name or a password");
  }
  if (url.find_first_of("?#") != std::string::npos) return refuse("holds a query or a fragment");
  base.url = part_of(handle, CURLUPART_URL);
  // "%38" in a host becomes a digit, and a host of digits an address, only when it is read once more.
  const Url again(curl_url());
  if (!again || curl_url_set(again.get(), CURLUPART_URL, base.url.c_str(), 0) != CURLUE_OK ||
      part_of(again, CURLUPART_HOST) != base.host) {
    return refuse("hides what its host is");
  }
  while (!base.url.empty() && base.url.back() == '/') base.url.pop_back();
  base.is_https = scheme == "https";
  base.is_loopback = is_loopback_host(base.host);
  return base;
}

bool is_valid_header(std::string_view name, std::string_view value) {
  constexpr std::string_view token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !name.empty() && name.find_first_not_of(token) == std::string_view::npos && !has_control_characters(value);
}

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, &address, sizeof(ipv4));
    return is_public_ipv4(ntohl(ipv4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 ipv6{};
    std::memcpy(&ipv6, &address, sizeof(ipv6));
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &ipv6.sin6_addr, bytes.size());
    return is_public_ipv6(bytes);
  }
  return false;
}

}  // namespace ctxmgr::http
