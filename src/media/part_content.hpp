#pragma once
#include <cstdint>
#include <optional>
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

/// What a part that is no plain text says to a reader.
struct PartWords {
  std::string name{};  ///< What it is, with its title: "document memo.txt".
  std::string text{};  ///< Its texts, without ids, marks and what is sealed.
};

/// Of a document, a result of a tool of the service, a file of text, in the forms of all services. nullopt where it says
/// nothing: images, binary files, thoughts. Linear.
[[nodiscard]] std::optional<PartWords> words_in_part(const ContentPart& part);

}  // namespace ctxmgr
