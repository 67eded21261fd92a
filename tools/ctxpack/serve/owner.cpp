#include "serve/owner.hpp"

#include <array>
#include <cstdio>
#include <random>
#include <string_view>

#include "ctxmgr/core/artifact.hpp"
#include "serve/headers.hpp"

namespace ctxpack::serve {
namespace {

constexpr std::size_t digits_of_an_owner = 24;
constexpr std::array<std::string_view, 4> credentials = {"authorization", "x-api-key", "api-key", "x-goog-api-key"};

std::string sha256_of(const std::string& text) { return ctxmgr::content_hash(ctxmgr::make_document({}, text)); }

}  // namespace

std::string owner_of(const ctxmgr::HttpHeaders& headers, const std::string& user, const std::string& secret) {
  std::string all;
  for (const auto name : credentials) {
    const auto value = value_of(headers, name);
    if (!value.empty()) all.append(name).append(1, ':').append(value).append(1, '\n');
  }
  if (!user.empty()) all.append("user:").append(user).append(1, '\n');
  if (all.empty()) return {};
  // Twice, so that nobody goes on from one hash to that of a longer text.
  return sha256_of(secret + sha256_of(secret + all)).substr(0, digits_of_an_owner);
}

std::string random_digits() {
  std::random_device device;
  std::string digits;
  for (int i = 0; i < 8; ++i) {
    std::array<char, 9> text{};
    std::snprintf(text.data(), text.size(), "%08x", static_cast<unsigned>(device()));
    digits += text.data();
  }
  return digits;
}

}  // namespace ctxpack::serve
