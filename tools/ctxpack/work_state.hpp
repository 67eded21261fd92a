#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "wanted.hpp"

/// \file
/// The state of an agent's work: how its newest edits and runs ended, and the present text of the place that it edits.
namespace ctxpack {

/// Paths that a shell's command line writes: behind `>`, of `tee` and of `sed -i`. Here-documents are passed over.
[[nodiscard]] std::vector<std::string> written_by(std::string_view command);

/// What says how a result ended, flat: counts such as "2 failed", else its last lines and those that name an error. A
/// silent result has words that others would write for it: "ok", "failed".
[[nodiscard]] std::vector<std::string> endings_of(std::string_view result);

/// Before each reply, of all files that were edited and commands that were run twice: the newest outcome. It stands in a
/// request that has the result as it was or shortened, or one of its endings near the file's or the command's name. For
/// a reply that edits a file: those lines of it that the thread has.
void want_work_state(const std::vector<ctxmgr::ConversationMessage>& messages, Wants& wants);

}  // namespace ctxpack
