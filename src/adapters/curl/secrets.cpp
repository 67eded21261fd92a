#include "adapters/curl/secrets.hpp"

namespace ctxmgr::http {
namespace {

constexpr std::size_t shortest_secret = 6;

}  // namespace

void wipe(char* text, std::size_t size) {
  for (volatile char* byte = text; size > 0; --size) *byte++ = '\0';
}

Secrets::~Secrets() {
  for (auto& value : values_) wipe(value);
}

void Secrets::add(std::string_view value) {
  if (value.size() >= shortest_secret) values_.emplace_back(value);
}

std::string Secrets::redacted(std::string text) const {
  constexpr std::string_view mark = "***";
  for (const auto& value : values_) {
    for (auto at = text.find(value); at != std::string::npos; at = text.find(value, at + mark.size())) {
      text.replace(at, value.size(), mark);
    }
  }
  return text;
}

}  // namespace ctxmgr::http
