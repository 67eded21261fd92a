#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/build/layout_values.hpp"
#include "engine/history/steered_history.hpp"
#include "engine/history/thread_state.hpp"

namespace ctxmgr::engine {

/// What is sent of a thread that goes on, from one build to the next.
struct GrownThread {
  std::size_t cut = 0;
  std::size_t compacted_at = 0;  ///< So many messages there were at the last compaction; 0: there was none.
  HeadRoom head{};               ///< What task, notes and states may take.
  std::map<std::size_t, std::int64_t> extracts{};  ///< Results that are sent as extracts of so many tokens.
  std::vector<ShownEvidence> evidence{};
  std::int64_t documents = 0;  ///< What their block may take.
  SteeredHistory steered{};
  std::size_t reasoning_before = 0;  ///< Messages before it are sent without their reasoning.
  std::vector<std::size_t> kept{};   ///< First messages of groups before the cut that the host keeps,
  std::int64_t kept_tokens = 0;
  std::string host_text{};
  std::vector<ConversationMessage> behind{};  ///< What stands behind the notes.
  std::int64_t behind_tokens = 0;
  std::optional<CompactionReport> compaction{};
};

/// The thread as the build before left it, with what came since: between two compactions a request is the one before plus
/// something at its end. Where no build before is known the same compactions are found again from the messages alone. `documents`:
/// what all documents of the request take; 0: there are none. `compacts`: why it is compacted though it is not full; null: it
/// is not.
[[nodiscard]] GrownThread grow(const LayoutInput& input, const PreviousBuild* previous, bool is_loop,
                               std::int64_t documents, bool same_question, const char* compacts);

}  // namespace ctxmgr::engine
