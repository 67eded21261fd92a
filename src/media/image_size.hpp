#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ctxmgr {

struct ImageSize {
  std::int64_t width = 0;  ///< Pixels.
  std::int64_t height = 0;
};

/// From the header of a PNG, JPEG, GIF or WebP file, of which the beginning will do; nothing where it is none or is cut
/// off too early.
[[nodiscard]] std::optional<ImageSize> image_size(std::string_view bytes);

/// Whether a text has only letters of base64, padding and breaks.
[[nodiscard]] bool is_base64(std::string_view text);

/// The bytes of base64, up to the first character that is none. At most `max_bytes` are decoded.
[[nodiscard]] std::string decode_base64(std::string_view text, std::size_t max_bytes);

}  // namespace ctxmgr
