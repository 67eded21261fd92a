#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/core/message.hpp"
#include "media/image_tokens.hpp"

namespace ctxmgr {

/// What a medium counts whose model or size nothing is known of.
inline constexpr std::int64_t unknown_medium_tokens = 1'000;

/// An image, a recording or a file in a message: what can be told without asking anybody for it.
struct Medium {
  PartKind kind = PartKind::file;  ///< `image` or `file`.
  bool is_audio = false;
  bool is_pdf = false;
  bool is_low = false;      ///< OpenAI's `detail` of "low".
  std::int64_t width = 0;   ///< Pixels; 0 where its bytes are not there.
  std::int64_t height = 0;  ///< Pixels.
  std::int64_t pages = 0;   ///< Pages of a PDF; 0 where they cannot be counted.
  double seconds = 0;       ///< Length of a recording; 0 where it is not known.
  bool is_text = false;     ///< A file of text, which is counted by its words.
  std::string name{};       ///< File name, title, address or id; empty where it has none.
};

/// Of a part in the form of OpenAI's Chat and Responses, of Anthropic's or of MCP. Linear.
[[nodiscard]] Medium medium_of(const Json& part, PartKind kind);

/// The bytes of a medium, in base64, where they are in a part; empty where they are not.
[[nodiscard]] std::string_view base64_of(const Json& part);

/// What a file of text says that a part holds; nothing of any other medium.
[[nodiscard]] std::optional<std::string> text_in_file(const Json& part);

/// Whether a message has images or files among its parts.
[[nodiscard]] bool has_media(const ConversationMessage& message);

/// "image https://example.com/a.png", "image 640x480", "file report.pdf, 12 pages".
[[nodiscard]] std::string describe(const Medium& medium);

struct MediumCost {
  std::int64_t tokens = 0;
  bool is_exact = false;  ///< False: an estimate.
};

[[nodiscard]] MediumCost cost_of(const Medium& medium, const MediaRule& rule);

}  // namespace ctxmgr
