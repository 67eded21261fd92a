#pragma once
#include <string_view>

namespace ctxmgr::engine {

/// Whether somebody asks for something: a question mark of any script, or words that refer to what was before ("again",
/// "earlier", "first time"), in the languages of `instructs()`. Any bytes will do.
[[nodiscard]] bool asks(std::string_view text);

}  // namespace ctxmgr::engine
