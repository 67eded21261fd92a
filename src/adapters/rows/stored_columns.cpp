#include "adapters/rows/stored_columns.hpp"

#include <charconv>

#include "core/utf8.hpp"

namespace ctxmgr::conversation {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view hex_mark = "hex:";
constexpr std::string_view hex_digits = "0123456789abcdef";

// Stored by name: frozen.
constexpr std::string_view active = "active";
constexpr std::string_view archived = "archived";

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += hex_digits[byte >> 4];
    hex += hex_digits[byte & 15];
  }
  return hex;
}

Result<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return damaged_row();
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || end != digits.data() + i + 2) return damaged_row();
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::string to_hex(const sqlite::RowChecksum& checksum) {
  std::string digits(16, '0');
  auto value = static_cast<std::uint64_t>(checksum.value());
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value >>= 4) *digit = hex_digits[value & 15];
  return digits;
}

std::string to_stored_text(std::string_view bytes) {
  const bool plain = bytes.find('\0') == std::string_view::npos && bytes.substr(0, hex_mark.size()) != hex_mark &&
                     utf8::is_valid(bytes);
  return plain ? std::string(bytes) : std::string(hex_mark) + to_hex(bytes);
}

Result<std::string> from_stored_text(std::string_view text) {
  if (text.substr(0, hex_mark.size()) != hex_mark) return std::string(text);
  return from_hex(text.substr(hex_mark.size()));
}

std::int64_t to_ms(Timestamp time) {
  return std::chrono::floor<milliseconds>(time).time_since_epoch() / milliseconds(1);
}

Timestamp from_ms(std::int64_t ms) { return Timestamp(milliseconds(ms)); }

std::string_view name_of(ConversationStatus status) { return status == ConversationStatus::active ? active : archived; }

Result<ConversationStatus> status_of(std::string_view name) {
  if (name == active) return ConversationStatus::active;
  if (name == archived) return ConversationStatus::archived;
  return damaged_row();
}

tl::unexpected<Error> damaged_row() { return fail(ErrorCode::bad_data, "a stored row is damaged"); }

}  // namespace ctxmgr::conversation
