#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ctxmgr/core/message.hpp"

/// \file
/// Calls that a service makes and carries out itself (Anthropic's searches, code, MCP, advisor): parts of the assistant's messages.
/// The result may stand in a later message, where the service paused its turn, or waited for the client's tools.
namespace ctxmgr {

struct ServerPart {
  std::size_t part;  ///< Its place in the message.
  std::string id;
  std::string tool;        ///< Of a call: what was called.
  bool is_result = false;  ///< Else it is a call.
};

/// Those parts of a message, in order.
[[nodiscard]] std::vector<ServerPart> server_parts(const ConversationMessage& message);

/// What a result says in words that somebody can read.
[[nodiscard]] std::string words_of_server_result(const ContentPart& result);

/// Calls of messages read so far that have no result.
class ServerCalls {
 public:
  struct Open {
    std::size_t message;
    std::size_t part;
    std::string tool;
  };

  /// Places of the message's results that answer no call, ascending.
  [[nodiscard]] std::vector<std::size_t> lost_results(const ConversationMessage& message) const;

  /// `number`: of the message, for those that stay open.
  void read(const ConversationMessage& message, std::size_t number);

  [[nodiscard]] bool any() const { return !open_.empty(); }
  [[nodiscard]] std::map<std::string, Open> take() { return std::move(open_); }

 private:
  std::map<std::string, Open> open_;
};

}  // namespace ctxmgr
