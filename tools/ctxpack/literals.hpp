#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "wanted.hpp"

/// \file
/// The literals of a call that an earlier result or user message gave it: what a context must not lose. Paths, names with
/// _ or camel case, numbers of four digits and more, ids, source lines, and short arguments that are values of their own.
namespace ctxpack {

/// Text, and the strings and numbers of the calls' arguments: where literals are looked for.
[[nodiscard]] std::string searched_text(const ctxmgr::ConversationMessage& message);

/// Whether it stands there with no letter, digit or _ beside it.
[[nodiscard]] bool stands_in(std::string_view literal, std::string_view text);

/// Paths, identifiers, numbers and ids in a text, each once, in the order of their first place.
[[nodiscard]] std::vector<std::string> names_in(std::string_view text);

/// What stands between lines of three backticks; with a language, of blocks that begin with its name alone.
[[nodiscard]] std::vector<std::string> code_blocks(const std::string& text, std::string_view language = {});

/// Whether an agent without calls works in code blocks: half of its replies have one.
[[nodiscard]] bool is_text_protocol(const std::vector<ctxmgr::ConversationMessage>& messages);

[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

/// What the calls of each message, or its bash blocks in a run without calls, use of earlier results and user messages: a
/// block of another language is shown, not run. Those last seen more than ten replies before are far literals, too.
/// Left out are literals of more than five earlier messages, and those of system messages and the first user message,
/// which any request has.
void want_literals(const std::vector<ctxmgr::ConversationMessage>& messages, Wants& wants);

/// The same by nobody's pattern of what a name is: any word of four letters or more that a step uses (its calls, its code
/// blocks in a run without calls, else its text) and that one or two earlier messages have.
void want_words(const std::vector<ctxmgr::ConversationMessage>& messages, Wants& wants);

}  // namespace ctxpack
