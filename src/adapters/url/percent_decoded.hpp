#pragma once
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

/// \file
/// Of the URLs of servers. Inline: each adapter is a library of its own.
namespace ctxmgr {

/// The text with "%40" and the like as the bytes that they stand for; nothing where a percent sign has no two digits.
[[nodiscard]] inline std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());  // Growing would leave copies of a password behind.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    unsigned char byte = 0;
    const auto digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc{} || digits.size() != 2 || end != digits.data() + 2) return std::nullopt;
    decoded.push_back(static_cast<char>(byte));
    i += 2;
  }
  return decoded;
}

}  // namespace ctxmgr
