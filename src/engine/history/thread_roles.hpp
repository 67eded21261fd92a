#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// What a message is in its thread. Not every message of the user role is something that a user asked: agents without a
/// tool protocol read their tools' output there, and harnesses remind the model of their rules.
enum class ThreadRole : std::uint8_t {
  instruction,  ///< System or developer.
  asked,        ///< What the user said.
  /// A user message that says again what was said before, case and blanks aside. In a conversation without an agent that is
  /// the message before. In an agent's loop it is any, but not a question: somebody asks it again. Once a text has come
  /// again to the letter, texts that differ from it in digits alone are nudges, too. From the third on the first is one
  /// as well, unless the thread begins with it.
  nudge,
  observation,  ///< A user message that is output of a tool in a text protocol.
  reply,        ///< A message of the assistant.
  result,       ///< A message of a tool.
};

/// The roles of a conversation, found once for each message. Histories are append-only, so it only grows; a later message
/// may show that earlier ones are observations.
/// Thread-safety: none; a build has it to itself.
class ThreadRoles {
 public:
  static constexpr auto all = static_cast<std::size_t>(-1);

  /// Reads the messages that it has not seen. `messages` begins with those that it has.
  void extend(const std::vector<ConversationMessage>& messages);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// As far as the first `seen` messages say: later ones may make an observation of it.
  [[nodiscard]] ThreadRole of(std::size_t message, std::size_t seen = all) const;

  /// Of the first `seen`, user messages that are neither nudge nor observation, oldest first. Linear in the number of user messages.
  [[nodiscard]] std::vector<std::size_t> asked(std::size_t seen = all) const;

  /// The newest user message of the first `seen`, where it says again what was said once before: the user may want it done again.
  /// What came three times is a harness's.
  [[nodiscard]] std::optional<std::size_t> said_again(std::size_t seen) const;

  /// Whether an agent works in the first `seen`: there are calls, results or observations. So it is where the request has tools,
  /// which a conversation does not show.
  [[nodiscard]] bool is_loop(std::size_t seen = all) const { return first_call_ < seen || first_output_ < seen; }

 private:
  static constexpr auto none = static_cast<std::uint32_t>(-1);

  struct Entry {
    ThreadRole role = ThreadRole::asked;  ///< Its role as far as the message itself and those before it tell.
    bool repeats_last = false;            ///< A user message that is the one before again.
    std::uint32_t family = 0;             ///< The family of a user message by its beginning.
    std::uint32_t ending = none;          ///< Its family by its end, where a prompt or a frame stands there.
    std::uint32_t saying = 0;             ///< The saying of all messages that equal it.
    bool is_question = false;             ///< It has a question mark.
  };
  /// User messages with the same outer tag or first line, or the same last line, digits aside.
  struct Family {
    std::uint32_t messages = 0;
    std::uint64_t first = 0;        ///< The hash of its first message.
    bool varies = false;            ///< Not all are equal, digits and case aside.
    std::size_t output_from = all;  ///< The message that showed that they are output.
  };

  /// User messages that are equal, digits and case aside; questions with their digits.
  struct Saying {
    std::uint32_t messages = 0;
    bool comes_again = false;  ///< One of them has come again to the letter.
    std::size_t first = all;
    std::size_t nudge_from = all;  ///< The message that showed that a harness says it.
  };

  Entry read_user_message(const ConversationMessage& message, std::size_t position);
  std::uint32_t join_family(std::string line, std::uint64_t hash, std::size_t position);

  std::vector<Entry> entries_;
  std::vector<std::size_t> user_messages_;
  std::vector<Family> families_;
  std::unordered_map<std::string, std::uint32_t> family_of_line_;
  std::vector<Saying> sayings_;
  std::unordered_map<std::uint64_t, std::uint32_t> said_;  ///< Sayings by the hash of their text.
  std::unordered_set<std::uint64_t> texts_;                ///< Hashes of what was said, with its digits.
  std::uint64_t last_said_ = 0;
  std::size_t first_output_ = all;  ///< The first message that showed that a family is output.
  std::size_t first_call_ = all;
};

}  // namespace ctxmgr::engine
