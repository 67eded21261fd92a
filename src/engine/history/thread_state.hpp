#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/plan.hpp"
#include "engine/history/noted_summary.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/history/thread_evidence.hpp"
#include "engine/index/fingerprint.hpp"

namespace ctxmgr::engine {

/// The messages that a build sent, as a short mark of each with all before it.
struct SentMarks {
  std::size_t stride = 1;              ///< There is a mark after each so many messages.
  std::vector<std::uint32_t> marks{};  ///< Each mark has 18 bits.
};

/// Of all messages.
[[nodiscard]] SentMarks marks_of(const std::vector<ConversationMessage>& messages);

/// How many of the messages are, from the first on, those that were sent. `all`: of each of them. Pure.
[[nodiscard]] std::size_t messages_kept(const SentMarks& sent, const SentMarks& all);

/// What task and notes are made within. All that they depend on besides the messages.
struct HeadRoom {
  std::int64_t room = 0;   ///< Tokens of all that was neither system message nor pin at the compaction.
  std::int64_t task = 0;   ///< What one message of the task may take.
  std::int64_t notes = 0;  ///< What the notes may take.
  std::int64_t state = 0;  ///< What the latest states of tools may take.
};

/// A state has room for so many extracts, the newest.
inline constexpr std::size_t most_kept_extracts = 64;

/// And for so many ranges of evidence.
inline constexpr std::size_t most_kept_ranges = 240;

/// What a host's compaction hook may keep whole, in groups, and say, in bytes.
inline constexpr std::size_t most_kept_by_host = 16;
inline constexpr std::size_t most_host_text = 1'024;

/// What `ThreadState::opaque` says. All of it is advice: a build that ignores it is right, too.
struct PreviousBuild {
  std::size_t messages = 0;    ///< How many messages the history had when this was written.
  Fingerprint history{};       ///< The fingerprint of those messages.
  std::int64_t max_input = 0;  ///< The budget that the rest was decided for.

  std::size_t cut = 0;           ///< Groups that begin before this message are left out of the suffix.
  std::size_t compacted_at = 0;  ///< So many messages there were at the last compaction; 0: there was none.
  HeadRoom head{};               ///< What task and notes were made within.
  std::map<std::size_t, std::int64_t> extracts{};  ///< Tool results that are sent as an extract of so many tokens.
  std::vector<ThreadEvidence> evidence{};          ///< Evidence in the order in which it stands.
  std::vector<std::size_t> kept{};                 ///< First messages of groups that the host keeps whole, ascending.
  std::string host_text{};                         ///< What the host said at the compaction.
  std::vector<MessageRange> summaries{};           ///< The ranges whose summaries the notes were given, ascending.

  Fingerprint question{};              ///< The turn that the artifact block was made for: its query and artifacts.
  std::int64_t block_tokens = 0;       ///< The room that the block was given.
  std::size_t hinted_by = 0;           ///< How many messages said what the question refers to.
  std::optional<ArtifactPlan> plan{};  ///< A model's plan for that turn.
  Fingerprint asked{};                 ///< The question that a model was last asked to plan for.
  std::int64_t asked_tokens = 0;       ///< What all items counted then; 0: no model was asked.

  std::int64_t planning_tokens = 0;    ///< What plans and summaries of the thread took so far.
  std::int64_t planning_nano_usd = 0;  ///< What they cost so far, in billionths of a USD.

  SentMarks sent{};        ///< Marks of what was sent, as close together as the state has room for.
  int warned_percent = 0;  ///< The last usage threshold that was reported.
  int told_percent = 0;    ///< The last that the model was told of since the last compaction.
};

/// At most 4 KiB with a plan that has room in it. Else the plan stands beside it in up to 16 KiB, without its reasons and with
/// marks instead of ids, or is left out.
[[nodiscard]] std::string encode(const PreviousBuild& memory);

/// Whether `encode()` keeps a plan.
[[nodiscard]] bool has_room_for(const ArtifactPlan& plan);

/// What stands for an artifact's id in a plan that is long.
[[nodiscard]] std::string mark_of_id(std::string_view artifact_id);

/// nullopt for anything that this version did not write.
[[nodiscard]] std::optional<PreviousBuild> decode(std::string_view opaque);

/// Whether a build of a beginning of this thread can have left such a memory. Hosts keep it where others may change it, so
/// each field is held against the history before anything follows it.
[[nodiscard]] bool belongs_to(const PreviousBuild& memory, const ThreadAnalysis& thread);

/// What is left of a memory where messages were edited, or summarised by others: what was decided about them is void, what
/// the thread has spent and what was sent is not. Of no budget, so that nothing is laid out by it. Pure.
[[nodiscard]] PreviousBuild of_changed_history(PreviousBuild memory);

}  // namespace ctxmgr::engine
