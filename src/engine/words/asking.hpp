#pragma once
#include <string_view>

namespace ctxmgr::engine {

/// Whether somebody asks for something: a question mark of any script, words that refer to what was before ("again",
/// "first time"), words that want to be told ("tell me", "repeat"), in languages of `instructs()`, or a sentence that
/// begins with a word like "name" or "give me", in those with a stemmer. Any bytes will do.
[[nodiscard]] bool asks(std::string_view text);

}  // namespace ctxmgr::engine
