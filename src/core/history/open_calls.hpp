#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace ctxmgr {

/// Calls that wait for their results. Ids may repeat, in later messages and among agents: a result belongs to the nearest open
/// call of its id that its agent made. Of an agent that never calls (one that runs tools), or of none, it may be anybody's.
class OpenCalls {
 public:
  /// `message`: where the call was made, rising from call to call.
  void open(const std::string& id, const std::string& agent, std::size_t message, std::size_t call = 0);

  struct Place {
    std::size_t message;
    std::size_t call;
  };
  /// The call that a result answers, which waits no more. Nothing where none waits for it.
  std::optional<Place> answer(const std::string& id, const std::string& agent);

  [[nodiscard]] bool has_called(const std::string& agent) const { return callers_.count(agent) > 0; }

  /// Nobody waits any more. Who has ever called stays known.
  void close_all() { open_.clear(); }

 private:
  struct OfOneMessage {
    std::size_t message;
    std::deque<std::size_t> calls;  ///< Doubled ids are answered in their order.
  };
  using ByAgent = std::map<std::string, std::vector<OfOneMessage>>;

  ByAgent::iterator answered_in(ByAgent& open, const std::string& agent);

  std::unordered_map<std::string, ByAgent> open_;  ///< By id; nothing in it is empty.
  std::set<std::string> callers_;
};

}  // namespace ctxmgr
