#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr {

/// Messages as they were read, to be found again among those that were built.
class UnchangedMessages {
 public:
  explicit UnchangedMessages(const std::vector<ConversationMessage>& read);

  /// For each message that was built, the one that it is, where it was not changed. Both lists are in one order.
  [[nodiscard]] std::vector<std::optional<std::size_t>> find(const std::vector<ConversationMessage>& built) const;

 private:
  std::vector<std::string> texts_;  ///< Each message as JSON.
};

}  // namespace ctxmgr
