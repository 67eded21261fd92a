#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::session {

/// Whose rows a view shows.
struct Viewer {
  std::string agent{};
  std::set<std::string> visible_agents{};  ///< Empty: everyone's.

  /// System rows: its own and nobody's. Others: its own, nobody's, and those of the agents it may see.
  [[nodiscard]] bool sees(const ConversationMessage& row) const;
};

/// Which rows summaries stand for. A summary stands for the rows of its agent within its range that are not fixed.
class Coverage {
 public:
  /// From all summary rows of a thread; a later one replaces those whose range it contains.
  explicit Coverage(const std::vector<ConversationMessage>& rows);

  [[nodiscard]] bool covers(const ConversationMessage& row) const;
  [[nodiscard]] bool is_active(const ConversationMessage& summary) const;

 private:
  struct Summary {
    std::int64_t sequence_number = 0;
    SequenceRange range{};
    std::string agent{};
  };
  std::vector<Summary> active_;
};

/// What an agent sees of a thread.
struct ThreadView {
  std::vector<ConversationMessage> messages{};  ///< All of them in order; summaries stand where their rows stood.
  std::int64_t first_read = 1;                  ///< Older rows were not read, but for fixed ones.
};

struct ViewRequest {
  Viewer viewer{};
  std::int64_t last_sequence = 0;  ///< The thread as it stood there.
  std::int64_t budget_tokens = 0;  ///< The budget of the context that will be built from the view.
  std::int64_t first_hint = 0;     ///< `first_read` of the view before, to begin at the same row; 0: none.
};

/// Reads about twice the budget of the newest rows, and the fixed rows of the whole thread.
[[nodiscard]] Result<ThreadView> read_view(ConversationStore& store, std::string_view conversation_id,
                                           const ViewRequest& request, const TokenCounter& counter,
                                           const CallOptions& call);

/// Tool results directly after their calls, wherever others wrote in between: a result belongs to the nearest open call of
/// its id and its agent. Results without their call go, and so do calls without all of their results, unless the viewer made
/// them: it may still answer. Pure.
[[nodiscard]] std::vector<ConversationMessage> with_whole_groups(std::vector<ConversationMessage> messages,
                                                                 const std::string& agent);

}  // namespace ctxmgr::session
