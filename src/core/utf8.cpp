#include "core/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ctxmgr::utf8 {
namespace {

constexpr char32_t replacement = 0xFFFD;

unsigned byte_at(std::string_view text, std::size_t pos) { return static_cast<unsigned char>(text[pos]); }

bool is_continuation(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

/// What a lead byte promises: the length, and the range of the second byte, which is where overlong forms, surrogates
/// and values above U+10FFFF show.
struct Lead {
  std::size_t bytes = 0;  // 0: not a lead byte
  unsigned second_min = 0x80;
  unsigned second_max = 0xBF;
};

Lead lead_of(unsigned byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

/// How many bytes from `pos` on are ASCII, looked at eight at a time.
std::size_t ascii_run(std::string_view text, std::size_t pos) {
  const std::size_t begin = pos;
  while (pos + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + pos, 8);
    if ((word & 0x8080808080808080U) != 0) break;
    pos += 8;
  }
  while (pos < text.size() && byte_at(text, pos) < 0x80) ++pos;
  return pos - begin;
}

}  // namespace

CodePoint decode(std::string_view text, std::size_t pos) {
  const unsigned first = byte_at(text, pos);
  if (first < 0x80) return {first, 1};
  const Lead lead = lead_of(first);
  if (lead.bytes == 0) return {replacement, 1};
  char32_t value = first & (0xFFU >> (lead.bytes + 1));
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    if (pos + i >= text.size()) return {replacement, i};
    const unsigned byte = byte_at(text, pos + i);
    const bool fits = i == 1 ? byte >= lead.second_min && byte <= lead.second_max : is_continuation(byte);
    if (!fits) return {replacement, i};
    value = (value << 6) | (byte & 0x3FU);
  }
  return {value, lead.bytes};
}

std::size_t find_invalid(std::string_view text, std::size_t from) {
  std::size_t pos = from;
  while ((pos += ascii_run(text, pos)) < text.size()) {
    const CodePoint point = decode(text, pos);
    // A U+FFFD that the text spells out takes three bytes, and they begin with 0xEF.
    if (point.value == replacement && !(point.bytes == 3 && byte_at(text, pos) == 0xEF)) return pos;
    pos += point.bytes;
  }
  return pos;
}

bool is_valid(std::string_view text) { return find_invalid(text) == text.size(); }

std::string repair(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t pos = 0;
  while (true) {
    const std::size_t bad = find_invalid(text, pos);
    out.append(text, pos, bad - pos);
    if (bad == text.size()) return out;
    append(out, replacement);
    pos = bad + decode(text, bad).bytes;
  }
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  std::size_t pos = 0;
  while (pos < text.size()) {
    const std::size_t ascii = ascii_run(text, pos);
    count += ascii;
    pos += ascii;
    if (pos == text.size()) break;
    pos += decode(text, pos).bytes;
    ++count;
  }
  return count;
}

std::size_t floor_boundary(std::string_view text, std::size_t pos) {
  if (pos >= text.size()) return text.size();
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, pos); ++back) {
    if (!is_continuation(byte_at(text, pos - back + 1))) break;
    if (decode(text, pos - back).bytes > back) return pos - back;
  }
  return pos;
}

void append(std::string& text, char32_t value) {
  const auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | (value >> 6));
    put(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    put(0xE0 | (value >> 12));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  } else {
    put(0xF0 | (value >> 18));
    put(0x80 | ((value >> 12) & 0x3F));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  }
}

}  // namespace ctxmgr::utf8
