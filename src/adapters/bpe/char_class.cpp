#include "adapters/bpe/char_class.hpp"

#include <algorithm>

namespace ctxmgr::bpe {

std::size_t malformed_bytes(std::string_view text, std::size_t pos) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[pos + i]); };
  const unsigned char lead = byte(0);
  const std::size_t wanted = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 1;
  const std::size_t limit = std::min(wanted, text.size() - pos);
  if (limit < 2) return 1;
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 1;
  std::size_t bytes = 2;
  while (bytes < limit && (byte(bytes) & 0xC0) == 0x80) ++bytes;
  return bytes;
}

std::string repair_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size() + text.size() / 2);
  std::size_t copied = 0;
  for (std::size_t pos = 0; pos < text.size();) {
    const Char next = char_at(text, pos);
    if (next.char_class == CharClass::malformed) {
      repaired.append(text, copied, pos - copied);
      repaired += "\xEF\xBF\xBD";
      copied = pos + next.bytes;
    }
    pos += next.bytes;
  }
  repaired.append(text, copied);
  return repaired;
}

}  // namespace ctxmgr::bpe
