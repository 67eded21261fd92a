#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// Whether a user's message may hold words of somebody else: it has several lines, a very long one, or something quoted or marked.
/// Only its form says so: a line of prose is the user's own, whatever it tells of others, and so is a short quote within it. Any bytes
/// will do.
[[nodiscard]] bool may_hold_pasted_text(std::string_view message);

/// Whether a sentence goes on with it where its own words end, or begins with it: a word of code, something quoted.
[[nodiscard]] bool is_inline_quote(std::string_view text);

/// The text with everything blank that is not the writer's own: code, quoted lines and passages, markup with what it
/// encloses, and what follows a line that announces it by a colon: behind a blank line everything, else a paragraph; items of
/// a list are his own. As long as the text.
[[nodiscard]] std::string own_words(std::string_view text);

}  // namespace ctxmgr::engine
