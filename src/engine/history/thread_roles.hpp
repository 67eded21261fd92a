#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "engine/words/request_text.hpp"

namespace ctxmgr::engine {

/// What a message is in its thread. Not every message of the user role is something that a user asked: agents without a
/// tool protocol read their tools' output there, and harnesses remind the model of their rules. Where that is not sure, it is what
/// the user said: an order that is taken for something else is lost.
enum class ThreadRole : std::uint8_t {
  instruction,  ///< System or developer.
  asked,        ///< What the user said.
  nudge,        ///< A user message that equals the user message before it to the byte.
  /// A user message that is output of a tool in a text protocol: it answers a message that ends in a command, and shares with two
  /// others that do a frame that programs write, as its tag, its label or the prompt that ends it.
  observation,
  reply,   ///< A message of the assistant.
  result,  ///< A message of a tool.
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

  /// Whether a harness may be who says it: in an agent's loop what came three times, digits, case and blanks aside, and once of them
  /// with the same digits. Not a question, for somebody asks it, and not what the thread begins with. It is no task of its own; it
  /// stays what the user said, who may give three orders in one form.
  [[nodiscard]] bool recurs(std::size_t message, std::size_t seen = all) const;

  /// What is asked and does not recur.
  [[nodiscard]] std::vector<std::size_t> requests(std::size_t seen = all) const;

  /// The newest user message of the first `seen`, where it says again what was said once before: the user may want it done again.
  [[nodiscard]] std::optional<std::size_t> said_again(std::size_t seen) const;

  /// What of a user message is known without its thread.
  [[nodiscard]] const RequestText& text_of_user(std::size_t message) const { return entries_[message].text; }

  /// Whether an agent works in the first `seen`: there are calls, results or observations. So it is where the request has tools,
  /// which a conversation does not show.
  [[nodiscard]] bool is_loop(std::size_t seen = all) const { return first_call_ < seen || first_output_ < seen; }

 private:
  static constexpr auto none = static_cast<std::uint32_t>(-1);

  struct Entry {
    ThreadRole role = ThreadRole::asked;  ///< Its role as far as the message itself and those before it tell.
    std::uint32_t family = none;          ///< Its family by the frame that it begins with, where it answers a command.
    std::uint32_t ending = none;          ///< Its family by the prompt that ends it.
    std::uint32_t saying = 0;             ///< The saying of all messages that equal it.
    RequestText text{};
  };
  /// User messages that answer commands with the same frame, digits aside.
  struct Family {
    std::uint32_t messages = 0;
    std::uint64_t first = 0;        ///< The hash of its first message.
    bool varies = false;            ///< Not all are equal, digits and case aside.
    std::size_t output_from = all;  ///< The message that showed that they are output.
  };

  /// User messages that are equal, digits and case aside.
  struct Saying {
    std::uint32_t messages = 0;
    bool comes_again = false;  ///< One of them has come again with its digits.
    std::size_t first = all;
    std::size_t recurs_from = all;  ///< The message that showed that a harness may say it.
  };

  Entry read_user_message(const std::vector<ConversationMessage>& messages, std::size_t position);
  std::uint32_t join_saying(std::uint64_t hash, bool comes_again, std::size_t position);
  std::uint32_t join_family(std::string line, std::uint64_t hash, std::size_t position);

  std::vector<Entry> entries_;
  std::vector<std::size_t> user_messages_;
  std::vector<Family> families_;
  std::unordered_map<std::string, std::uint32_t> family_of_line_;
  std::vector<Saying> sayings_;
  std::unordered_map<std::uint64_t, std::uint32_t> said_;  ///< Sayings by the hash of their text.
  std::unordered_set<std::uint64_t> texts_;                ///< Hashes of what was said, with its digits.
  std::unordered_set<std::string> forms_;                  ///< Frames in which the user speaks.
  std::string last_said_;
  std::size_t first_output_ = all;  ///< The first message that showed that a family is output.
  std::size_t first_call_ = all;
};

}  // namespace ctxmgr::engine
