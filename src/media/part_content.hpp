#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "media/media.hpp"

namespace ctxmgr {

/// What a part that is no plain text holds.
struct PartContent {
  std::string text{};              ///< What a model reads as words, wherever it stands in the part.
  std::vector<Medium> media{};     ///< Images and files, in their order.
  std::int64_t sealed_tokens = 0;  ///< An estimate of what only the service can read: sealed thoughts and results.
};

/// Finds the words, the media and what is sealed in a part in the forms of OpenAI, Anthropic and MCP, and the words of any
/// other. Only the bytes of a medium and what stands in a field for sealed content are no words; everything else is,
/// whatever it looks like. Linear.
[[nodiscard]] PartContent content_of(const ContentPart& part);

}  // namespace ctxmgr
