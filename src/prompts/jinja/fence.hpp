#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::jinja {

/// Untrusted text between lines that mark it as data. Inside, every '<' that could begin such a line is written as
/// "&lt;". Without a nonce, one is derived from the text: whoever wrote the text cannot have put it there.
[[nodiscard]] std::string fence(std::string_view text, std::string_view nonce);

}  // namespace ctxmgr::jinja
