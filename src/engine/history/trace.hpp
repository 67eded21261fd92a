#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// A step that changed, ran or decided something.
struct TracedStep {
  std::string did{};    ///< "edit_file src/fees.py late_fee", "pytest -q".
  std::string ended{};  ///< "ok", "failed", "2 failed, 7 passed".
  std::string about{};  ///< The file that a command line wrote, else `did`: a later step about the same is newer.

  friend bool operator==(const TracedStep&, const TracedStep&) = default;
};

/// The step that ends with a message: a tool's result, the output of a command in a text, or an answer without calls, which may
/// decide something. nullopt of a call that only looked, and of a user's own words. Pure.
[[nodiscard]] std::optional<TracedStep> traced_step(const std::vector<ConversationMessage>& messages,
                                                    std::size_t message);

/// Paths that a command line of a shell writes, creates, moves or deletes: behind `>`, of `tee`, `sed -i`, `touch`, `mkdir`,
/// `cp`, `mv`, `rm`, `git mv` and `git rm`.
[[nodiscard]] std::vector<std::string> changed_by_command(std::string_view command);

/// Files that a call changes: paths in its arguments where it edits, and what its command line changes.
[[nodiscard]] std::vector<std::string> changed_by(const ToolCall& call);

/// Words that look like paths of a command line that only shows what is there. What a program said of a file it ran does not
/// become old by an edit of the file.
[[nodiscard]] std::vector<std::string> files_shown_by(std::string_view command);

/// Arguments of a call that look like paths, or what its command line shows.
[[nodiscard]] std::vector<std::string> files_named_by(const ToolCall& call);

/// Whether each program of a command line only shows what is there: `ls`, `cat`, `grep`, `git log` and their like.
[[nodiscard]] bool only_shows(std::string_view command);

}  // namespace ctxmgr::engine
