#include "adapters/redis/cluster.hpp"

#include <cstdint>

#include "adapters/servers/server_url.hpp"

namespace ctxmgr::redis {
namespace {

constexpr int slots = 16'384;

/// CRC-16/XMODEM.
std::uint16_t crc16(std::string_view text) {
  std::uint16_t crc = 0;
  for (const char c : text) {
    crc = static_cast<std::uint16_t>(crc ^ (static_cast<unsigned char>(c) << 8));
    for (int bit = 0; bit < 8; ++bit) {
      crc = static_cast<std::uint16_t>((crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1);
    }
  }
  return crc;
}

}  // namespace

int slot_of(std::string_view key) {
  const auto open = key.find('{');
  if (open != key.npos) {
    const auto close = key.find('}', open + 1);
    if (close != key.npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
  }
  return crc16(key) % slots;
}

std::optional<Moved> parse_moved(std::string_view reply) {
  constexpr std::string_view word = "MOVED ";
  if (!reply.starts_with(word)) return std::nullopt;
  reply.remove_prefix(word.size());
  const auto blank = reply.find(' ');
  const auto colon = reply.rfind(':');  // an IPv6 address has colons of its own
  if (blank == reply.npos || colon == reply.npos || colon < blank) return std::nullopt;
  const auto slot = parse_number(reply.substr(0, blank), slots - 1);
  const auto host = reply.substr(blank + 1, colon - blank - 1);
  const auto port = parse_number(reply.substr(colon + 1), 65'535);
  if (!slot || !port || *port == 0 || host == "?") return std::nullopt;  // the node does not know its own name
  return Moved{*slot, {std::string(host), *port}};
}

}  // namespace ctxmgr::redis
