#include "adapters/redis/stored_value.hpp"

#include <algorithm>
#include <charconv>

namespace ctxmgr::redis {
namespace {

bool take_mark(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::string version_text(std::uint64_t version) {
  const auto digits = std::to_string(version);
  return std::string(version_digits - std::min(version_digits, digits.size()), '0') + digits;
}

std::optional<std::uint64_t> parse_version(std::string_view digits) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (error != std::errc{} || end != digits.data() + digits.size() || version == 0) return std::nullopt;
  return version;
}

std::string owner_lengths(std::string_view name_space, std::string_view key) {
  return std::to_string(name_space.size()) + ":" + std::to_string(key.size()) + ":";
}

std::size_t header_bytes(std::string_view name_space, std::string_view key) {
  return version_digits + 1 + owner_lengths(name_space, key).size() + name_space.size() + key.size();
}

std::optional<StoredValue> decode_value(std::string_view name_space, std::string_view key, std::string_view text) {
  if (text.size() <= version_digits) return std::nullopt;
  const auto version = parse_version(text.substr(0, version_digits));
  text.remove_prefix(version_digits);
  if (!version || !take_mark(text, " ") || !take_mark(text, owner_lengths(name_space, key))) return std::nullopt;
  if (!take_mark(text, name_space) || !take_mark(text, key)) return std::nullopt;
  return StoredValue{std::string(text), *version};
}

}  // namespace ctxmgr::redis
