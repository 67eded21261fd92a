#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/history/history_reader.hpp"
#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// What every build asks of each message of its history: what it is, by its hash, and whether a service would take it. Where
/// somebody knows that a history begins as one before, and keeps this, it is found once for each message.
/// Thread-safety: none; a build has it to itself.
class KnownMessages {
 public:
  /// `content_hash()` of each. `messages` begins with those that were asked for before.
  [[nodiscard]] const std::vector<std::uint64_t>& hashes(const std::vector<ConversationMessage>& messages);

  /// Whether `check_history()` finds nothing wrong. `messages` as for `hashes()`.
  [[nodiscard]] bool are_well(const std::vector<ConversationMessage>& messages, const HistoryDemands& demands);

  /// Knows nothing of messages from this one on.
  void cut(std::size_t count);

  /// The first message is this one now: an instruction, as the one before.
  void replace_first(const ConversationMessage& message);

  [[nodiscard]] std::size_t bytes() const;

 private:
  std::vector<std::uint64_t> hashes_;
  std::unique_ptr<HistoryReader> reader_;  ///< It has read the messages that were checked.
};

}  // namespace ctxmgr::engine
