#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "engine/history/thread_roles.hpp"

namespace ctxmgr::engine {

/// The names that a conversation brought up (files, ids, addresses, versions, figures with their label) and where they
/// came from: what an agent needs to go on when the messages themselves are gone. Read once for each message, as
/// histories are append-only; a ledger is then made from what is known.
/// Thread-safety: none; a build has it to itself.
class NameIndex {
 public:
  NameIndex() = default;
  NameIndex(NameIndex&&) = default;
  NameIndex& operator=(NameIndex&&) = default;

  /// A place where a name stands.
  struct Use {
    std::uint32_t name = 0;
    std::uint32_t label = 0;  ///< 0: none.
    bool is_column = false;   ///< The message gives the label several values: it is no quantity that changes.
    bool is_minor = false;    ///< A figure or filler.
  };

  /// Reads the messages that it has not seen. `messages` begins with those that it has.
  void extend(const std::vector<ConversationMessage>& messages);

  [[nodiscard]] std::size_t size() const { return uses_.size(); }
  /// The names of a message, each with each of its labels once.
  [[nodiscard]] const std::vector<Use>& uses(std::size_t message) const { return uses_[message]; }
  [[nodiscard]] std::string_view text(std::uint32_t name) const { return *texts_[name]; }
  [[nodiscard]] std::size_t names() const { return texts_.size(); }
  /// Known names that are the ends of a path: of "a/b/c.py" "b/c.py" and "c.py".
  void each_ending(std::uint32_t name, const std::function<void(std::uint32_t)>& visit) const;
  /// The message whose call this message answers, or which it is itself.
  [[nodiscard]] std::size_t source(std::size_t message) const { return sources_[message]; }
  /// Equal for messages of equal calls, and for turns of one role.
  [[nodiscard]] std::size_t speaker(std::size_t message) const { return speakers_[message]; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::uint32_t number_of(std::string_view text);
  void read(std::string_view text, std::vector<Use>& uses);

  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> texts_;
  std::vector<std::vector<Use>> uses_;
  std::vector<std::size_t> sources_;
  std::vector<std::size_t> speakers_;
  std::unordered_map<std::string, std::size_t> open_calls_;  ///< By id: the message that made it.
  std::size_t bytes_ = 0;
};

struct LedgerRequest {
  std::size_t first = 0;  ///< Messages [first, last) were cut or masked.
  std::size_t last = 0;
  std::function<bool(std::size_t message)> is_kept{};  ///< Of all messages: what is sent as it is, and not repeated.
  std::int64_t limit = 0;                              ///< Tokens.
  bool explains_numbers = false;  ///< A number that a turn brought up stands with the words before it.
  std::function<std::int64_t(std::string_view)> count{};
  std::function<ThreadRole(std::size_t message)> role_of{};  ///< Null: no user message is an observation.
  /// How to read a message that was archived. Null or an empty text: it was not.
  std::function<std::string(std::size_t message)> handle_of{};
  /// What cannot be fetched again: its names come first, as those of users' long texts do. May be null.
  std::function<bool(std::size_t message)> cannot_be_fetched_again{};
};

/// One line for each call or turn, oldest first:
///
///     [12] read(src/late_fee.cpp): parse_fee, FeeTable
///     [14] bash(ctest -R fees), failed: fee_test.cpp, E1044
///     [20] user: INV-2024-0042, deposit: 500
///     [22] output of ls src: late_fee.cpp
///
/// The last one stands for a result in a text protocol. Before them stand calls that have no such line, as of
/// `collapsed_calls()`, in at least 0.03 of the limit and at most a tenth, as names leave room. A handle follows in angle brackets.
/// A name that several sources had stands once, a later value of a label replaces the former
/// of the same call or speaker. Deterministic; empty where nothing fits. `index` has read all of `messages`.
[[nodiscard]] std::string make_ledger(const std::vector<ConversationMessage>& messages, const NameIndex& index,
                                      const LedgerRequest& request);

}  // namespace ctxmgr::engine
