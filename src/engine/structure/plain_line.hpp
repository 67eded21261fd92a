#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// Text from outside on one line, for a prompt: control, invisible and direction-changing characters are taken out, and
/// so is whatever imitates the markup of a chat. At most `max_chars` code points.
[[nodiscard]] std::string plain_line(std::string_view text, std::size_t max_chars);

}  // namespace ctxmgr::engine
