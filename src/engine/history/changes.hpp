#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// What the calls of a thread changed and which commands they ran, found once for each message. Histories are append-only, so
/// it only grows. Thread-safety: none; a build has it to itself.
class ThreadChanges {
 public:
  struct Run {
    std::size_t message = 0;  ///< The message that holds the result.
    std::string command{};
    bool failed = false;
    std::string said{};  ///< The line that says how it ended.
  };

  /// Reads the messages that it has not seen. `messages` begins with those that it has.
  void extend(const std::vector<ConversationMessage>& messages);

  /// Paths that a call among the first `end` messages wrote, created, moved or deleted: each once, the last changed last.
  /// Those of temporary folders come before all others, since what comes first gives way first.
  [[nodiscard]] std::vector<std::string> changed_before(std::size_t end) const;

  /// The last run of each command that was run again, of which the last two are among the first `end` messages, with the one
  /// before it: oldest first. Commands whose last two runs said nothing are left out.
  [[nodiscard]] std::vector<std::pair<Run, Run>> repeated_before(std::size_t end) const;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Change {
    std::size_t message = 0;
    std::string path{};
  };

  void read_calls(const std::vector<ConversationMessage>& messages, std::size_t caller);

  std::size_t read_ = 0;
  std::vector<Change> changes_;
  std::vector<Run> runs_;
  std::vector<std::pair<std::string, std::string>> open_commands_;  ///< Calls without a result yet: id and command.
  std::size_t bytes_ = 0;
};

/// Paths that a command line of a shell writes, creates, moves or deletes: behind `>`, of `tee`, `sed -i`, `touch`, `mkdir`,
/// `cp`, `mv`, `rm`, `git mv` and `git rm`.
[[nodiscard]] std::vector<std::string> changed_by_command(std::string_view command);

}  // namespace ctxmgr::engine
