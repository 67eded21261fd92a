#pragma once
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "media/media.hpp"

namespace ctxmgr {

/// What a part that is no plain text holds.
struct PartContent {
  std::string text{};           ///< What a model reads as words, wherever it stands in the part.
  std::vector<Medium> media{};  ///< Images and files, in their order.
};

/// Finds the words and the media of a part in the forms of OpenAI and Anthropic, and the words of any other. Signatures
/// and long base64 are neither: nobody reads them. Linear.
[[nodiscard]] PartContent content_of(const ContentPart& part);

}  // namespace ctxmgr
