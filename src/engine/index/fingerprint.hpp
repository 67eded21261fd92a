#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// 128 bits over some text, fast and not cryptographic: for memos inside a process (with a secret seed) and for noticing
/// that something changed, never for naming content; `content_hash()` does that.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;

  /// 32 hex digits.
  [[nodiscard]] std::string hex() const;
};

/// Joins a text to what came before; the order counts, and so does where one text ends and the next begins.
[[nodiscard]] Fingerprint fingerprint(std::string_view text, Fingerprint before = {});

/// Another one each time, for memos that fingerprint what strangers write.
[[nodiscard]] Fingerprint random_fingerprint();

}  // namespace ctxmgr::engine
