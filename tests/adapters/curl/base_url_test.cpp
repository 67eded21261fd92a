#include "adapters/curl/base_url.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>

namespace ctxmgr::http {
namespace {

using namespace std::string_literals;

bool is_public(const char* text) {
  sockaddr_storage storage{};
  auto* const ipv4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* const ipv6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1) {
    storage.ss_family = AF_INET;
  } else {
    EXPECT_EQ(inet_pton(AF_INET6, text, &ipv6->sin6_addr), 1) << text;
    storage.ss_family = AF_INET6;
  }
  return is_public_address(*reinterpret_cast<sockaddr*>(&storage));
}

TEST(BaseUrlTest, LosesTheSlashAtItsEnd) {
  EXPECT_EQ(parse_base_url("https://api.example.com/v1/")->url, "https://api.example.com/v1");
  EXPECT_EQ(parse_base_url("https://api.example.com")->url, "https://api.example.com");
}

TEST(BaseUrlTest, TellsLoopbackAddressesHoweverTheyAreWritten) {
  for (const char* url :
       {"http://127.0.0.1:8080/v1", "http://localhost", "http://[::1]:1", "http://0x7f000001/v1", "http://127.1"}) {
    EXPECT_TRUE(parse_base_url(url)->is_loopback) << url;
  }
  for (const char* url : {"http://127.0.0.1.example.com", "http://localhost.example.com", "http://10.0.0.1"}) {
    EXPECT_FALSE(parse_base_url(url)->is_loopback) << url;
  }
}

TEST(BaseUrlTest, RefusesWhatIsNotAPlainHttpUrl) {
  for (const std::string& url :
       {""s, "api.example.com"s, "file:///etc/passwd"s, "ftp://example.com"s, "https://"s, "https://u:p@example.com"s,
        "https://user@example.com"s, "https://example.com/v1?key=x"s, "https://example.com/#f"s,
        "https://example.com/\r\nx: y"s, "https://exa mple.com"s, "https://example.com/\0x"s, "javascript:1"s,
        "https://127%2e1"s, "https://%32130706433/"s}) {
    const auto base = parse_base_url(url);
    ASSERT_FALSE(base) << url;
    EXPECT_EQ(base.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(base.error().message.find("u:p"), std::string::npos);
  }
}

TEST(BaseUrlTest, HeadersCannotEndEarly) {
  EXPECT_TRUE(is_valid_header("X-Trace", "abc def"));
  for (const std::string& value : {"a\r\nb: c"s, "a\nb"s, "a\0b"s, "a\x7f"s}) EXPECT_FALSE(is_valid_header("x", value));
  for (const std::string& name : {""s, "a b"s, "a:"s, "a\r\nb"s, "\xC3\xBC"s}) EXPECT_FALSE(is_valid_header(name, "v"));
}

TEST(BaseUrlTest, PublicAddressesArePublic) {
  for (const char* text : {"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"}) {
    EXPECT_TRUE(is_public(text)) << text;
  }
}

TEST(BaseUrlTest, PrivateLocalAndReservedAddressesAreNot) {
  for (const char* text : {"127.0.0.1",
                           "10.1.2.3",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.168.0.1",
                           "169.254.169.254",
                           "100.64.0.1",
                           "0.0.0.0",
                           "224.0.0.1",
                           "255.255.255.255",
                           "198.18.0.1",
                           "::1",
                           "::",
                           "fe80::1",
                           "fc00::1",
                           "ff02::1",
                           "::ffff:127.0.0.1",
                           "::ffff:169.254.169.254",
                           "64:ff9b::a9fe:a9fe",
                           "2002:7f00:1::",
                           "2001:db8::1"}) {
    EXPECT_FALSE(is_public(text)) << text;
  }
}

}  // namespace
}  // namespace ctxmgr::http
