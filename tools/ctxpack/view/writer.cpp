#include "view/writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ctxpack::view {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character at the beginning; 0 where there is none.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool is_fine = !(first == 0xE0 && byte(1) < 0xA0) && !(first == 0xED && byte(1) > 0x9F);
    return is_fine && follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool is_fine = !(first == 0xF0 && byte(1) < 0x90) && !(first == 0xF4 && byte(1) > 0x8F);
    return is_fine && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// Characters that turn the order of others around or hide: a name could look like another one.
bool misleads(std::string_view character) {
  if (character.size() != 3) return false;
  const unsigned last = static_cast<unsigned char>(character[2]);
  const auto begin = character.substr(0, 2);
  if (begin == "\xE2\x80") return last == 0x8B || last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  return (begin == "\xE2\x81" && last >= 0xA0 && last <= 0xAF) || character == "\xEF\xBB\xBF";
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    const auto length = length_of_character(text);
    const bool is_control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    if (length == 0 || is_control || c == '\x7F' || misleads(text.substr(0, length))) {
      out += replacement;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t pos = digits.size(); pos > first + 3; pos -= 3) digits.insert(pos - 3, "\u00A0");
  return digits;
}

std::string percent(double part, double whole) {
  return whole > 0 ? formatted("%.1f\u00A0%%", 100 * part / whole) : "—";
}

std::string usd(double value) { return value >= least_usd ? formatted(value < 0.01 ? "$%.5f" : "$%.3f", value) : "—"; }

std::string share(double part, double whole) {
  const double value = whole > 0 && std::isfinite(part) ? 100 * part / whole : 0;
  return formatted("%.3f%%", std::clamp(value, 0.0, 100.0));
}

}  // namespace ctxpack::view
