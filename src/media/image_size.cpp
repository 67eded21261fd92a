#include "media/image_size.hpp"

#include <algorithm>

namespace ctxmgr {
namespace {

/// Numbers in a file's bytes; 0 past its end, which no size is.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::int64_t at(std::size_t i) const {
    return i < bytes_.size() ? static_cast<unsigned char>(bytes_[i]) : 0;
  }
  [[nodiscard]] std::int64_t big(std::size_t i, int count) const {
    std::int64_t value = 0;
    for (int k = 0; k < count; ++k) value = value * 256 + at(i + static_cast<std::size_t>(k));
    return value;
  }
  [[nodiscard]] std::int64_t little(std::size_t i, int count) const {
    std::int64_t value = 0;
    for (int k = count - 1; k >= 0; --k) value = value * 256 + at(i + static_cast<std::size_t>(k));
    return value;
  }
  [[nodiscard]] bool holds(std::size_t i, std::string_view text) const {
    return i <= bytes_.size() && bytes_.substr(i, text.size()) == text;
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// Segments follow each other until one begins a frame, whatever cameras put before it.
ImageSize jpeg_size(const Bytes& in) {
  std::size_t at = 2;
  while (at + 9 < in.size()) {
    if (in.at(at) != 0xFF) return {};
    const auto marker = in.at(at + 1);
    if (marker == 0xFF) {
      ++at;  // Padding.
      continue;
    }
    const bool begins_frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (begins_frame) return {in.big(at + 7, 2), in.big(at + 5, 2)};
    const bool stands_alone = marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
    const auto length = in.big(at + 2, 2);
    if (!stands_alone && length < 2) return {};
    at += 2 + (stands_alone ? 0 : static_cast<std::size_t>(length));
  }
  return {};
}

ImageSize webp_size(const Bytes& in) {
  if (in.holds(12, "VP8X")) return {in.little(24, 3) + 1, in.little(27, 3) + 1};
  if (in.holds(12, "VP8L") && in.at(20) == 0x2F) {
    const auto bits = in.little(21, 4);
    return {(bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1};
  }
  if (in.holds(12, "VP8 ") && in.holds(23, "\x9D\x01\x2A"))
    return {in.little(26, 2) & 0x3FFF, in.little(28, 2) & 0x3FFF};
  return {};
}

ImageSize size_of(const Bytes& in) {
  if (in.holds(0, "\x89PNG\r\n\x1A\n") && in.holds(12, "IHDR")) return {in.big(16, 4), in.big(20, 4)};
  if (in.holds(0, "\xFF\xD8\xFF")) return jpeg_size(in);
  if (in.holds(0, "GIF87a") || in.holds(0, "GIF89a")) return {in.little(6, 2), in.little(8, 2)};
  if (in.holds(0, "RIFF") && in.holds(8, "WEBP") && in.size() >= 30) return webp_size(in);
  return {};
}

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

bool is_break(char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; }

}  // namespace

bool is_base64(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return base64_value(c) >= 0 || c == '=' || is_break(c); });
}

std::optional<ImageSize> image_size(std::string_view bytes) {
  const auto size = size_of(Bytes(bytes));
  constexpr std::int64_t largest = 1'000'000;
  const bool can_be = size.width > 0 && size.height > 0 && size.width <= largest && size.height <= largest;
  return can_be ? std::optional(size) : std::nullopt;
}

std::string decode_base64(std::string_view text, std::size_t max_bytes) {
  std::string bytes;
  bytes.reserve(std::min(max_bytes, text.size() / 4 * 3 + 3));
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    if (is_break(c)) continue;
    const int value = base64_value(c);
    if (value < 0 || bytes.size() == max_bytes) break;
    bits = (bits << 6U) | static_cast<unsigned>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>((bits >> static_cast<unsigned>(held)) & 0xFFU));
  }
  return bytes;
}

}  // namespace ctxmgr
