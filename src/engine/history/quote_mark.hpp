#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// What made a result or a written text out of date.
struct NewerMessage {
  std::size_t message = 0;  ///< The call that changed the file, or the result of the call that was made again.
  bool changed = false;
};

/// The changes and calls among the newest 2 000 messages before an end. The messages outlive it; it is read once, at the first
/// question.
class NewerMessages {
 public:
  NewerMessages(const std::vector<ConversationMessage>& messages, std::size_t end);

  /// The newest message that makes a tool's result, a command's output or a call that writes a file out of date. A change that
  /// failed counts for nothing.
  [[nodiscard]] std::optional<NewerMessage> than(std::size_t message);

 private:
  struct Change {
    std::size_t message = 0;
    std::size_t result = 0;
    std::vector<std::string> files{};
  };
  struct Answer {
    std::size_t message = 0;
    std::uint64_t part = 0;
  };

  void read();
  void read_message(std::size_t i);
  [[nodiscard]] std::optional<NewerMessage> answered_again(std::size_t message) const;
  [[nodiscard]] std::optional<NewerMessage> changed_since(std::size_t message) const;

  const std::vector<ConversationMessage>& messages_;
  std::size_t end_;
  bool is_read_ = false;
  std::vector<Change> changes_{};                                     ///< Ascending.
  std::unordered_map<std::uint64_t, std::vector<Answer>> answers_{};  ///< By tool and subject, ascending.
  std::unordered_map<std::string, std::size_t> outputs_{};            ///< The newest of each command in a text.
};

/// What is said of a message beside its number when it is quoted.
struct QuoteMark {
  std::size_t times = 1;  ///< So many messages of its role have its text.
  std::optional<NewerMessage> newer{};
};

/// Of each of these messages, how many before `end` have its role and its text. Pure.
[[nodiscard]] std::vector<std::size_t> times_said(const std::vector<ConversationMessage>& messages,
                                                  const std::vector<std::size_t>& quoted, std::size_t end);

/// Of each of these messages, by the messages before `end`.
[[nodiscard]] std::vector<QuoteMark> marks_of(const std::vector<ConversationMessage>& messages,
                                              const std::vector<std::size_t>& quoted, std::size_t end);

/// ", 24 times" and " (changed in [42])" or " (again in [42])"; empty where there is nothing to say.
[[nodiscard]] std::string written(const QuoteMark& mark, const std::vector<ConversationMessage>& messages);

}  // namespace ctxmgr::engine
