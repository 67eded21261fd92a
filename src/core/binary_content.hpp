#pragma once
#include <string_view>

namespace ctxmgr {

/// Whether content is what a program reads and no text: a PDF, an archive, an image, an executable, text in UTF-16. Text in another
/// encoding of bytes, and text with a few control characters, is text.
[[nodiscard]] bool is_binary(std::string_view content);

}  // namespace ctxmgr
