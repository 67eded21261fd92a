#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ctxmgr {

/// SHA-256 (FIPS 180-4), fed piece by piece. For names of content and cache keys.
class Sha256 {
 public:
  void update(std::string_view bytes);

  /// The field's length as eight bytes, big end first, then the field: no two lists of fields feed the same bytes.
  void update_field(std::string_view bytes);

  /// 64 hex digits. To be called once, at the end.
  [[nodiscard]] std::string hex();

  /// The same as 32 bytes.
  [[nodiscard]] std::string bytes();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> buffer_{};
  std::size_t buffered_ = 0;
  std::uint64_t total_bytes_ = 0;
};

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// HMAC-SHA-256 (RFC 2104), as 64 hex digits.
[[nodiscard]] std::string hmac_sha256_hex(std::string_view secret, std::string_view bytes);

}  // namespace ctxmgr
