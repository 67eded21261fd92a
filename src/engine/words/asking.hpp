#pragma once
#include <string_view>

namespace ctxmgr::engine {

/// Whether a question ends or, in Spanish, begins in a text: a mark of any script.
[[nodiscard]] bool has_question_mark(std::string_view text);

/// Whether somebody asks for something: a question mark of any script, words that refer to what was before ("again",
/// "first time"), words that want to be told ("tell me", "repeat"), in languages of `instructs()`, or a sentence that
/// begins with a word like "name" or "give me", in those with a stemmer. Any bytes will do.
[[nodiscard]] bool asks(std::string_view text);

/// Whether somebody asks, or wants something done in the words of a request: a sentence that begins with a verb like "book",
/// "summarise" or "draft", "please" and "I need" in the same languages. Who runs an agent says such things at each step, so that
/// they tell only in a chat. Any bytes will do.
[[nodiscard]] bool requests(std::string_view text);

/// Whether somebody wants something in words of politeness or need, wherever they stand: "please", "I need", "bitte". Any bytes.
[[nodiscard]] bool wants_politely(std::string_view text);

}  // namespace ctxmgr::engine
