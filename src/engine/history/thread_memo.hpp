#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "engine/history/kept_messages.hpp"
#include "engine/history/noted_summary.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/index/fingerprint.hpp"

namespace ctxmgr::engine {

struct ThreadEvidence;
struct ThreadHead;

/// What builds of one thread found and would find again, each with what it was found for. It saves time and changes no
/// result: who finds nothing here makes it anew. Thread-safety: none; a build has it to itself.
struct ThreadMemo {
  /// The head that was made last: the same for all builds between two compactions.
  std::shared_ptr<const ThreadHead> head{};
  Fingerprint head_key{};

  /// Summaries that stand in the head's notes, and what they were looked up by.
  std::vector<NotedSummary> told{};
  Fingerprint told_key{};

  /// A long message as it was shortened last: the same wherever so much room is asked for.
  struct Shortened {
    std::size_t message = 0;
    std::int64_t most = -1;  ///< Tokens that it may take; -1: nothing was shortened yet.
    std::optional<ConversationMessage> as_sent{};
    std::int64_t tokens = 0;
  };
  std::array<Shortened, 2> shortened{};  ///< What the thread began with, and the task.

  /// What results count as extracts: by message, by what the extract may take, and by whether it names a handle.
  std::map<std::tuple<std::size_t, std::int64_t, bool>, std::int64_t> extract_tokens{};

  /// What was selected last for the block: the same for all steps of a question.
  std::shared_ptr<const Selection> selection{};
  Fingerprint selection_key{};

  /// What was found last for a question of a thread that goes on; null: nothing.
  std::shared_ptr<const ThreadEvidence> found{};
  std::optional<Fingerprint> found_key{};

  /// What an archive holds of the thread.
  KeptMessages kept{};

  /// Groups were made anew: what was made of the former ones is forgotten.
  void forget_groups();

  [[nodiscard]] std::size_t bytes() const;
};

/// A thread as builds know it: what is read of it, and what they made of that.
struct KnownThread {
  ThreadAnalysis analysis{};
  ThreadMemo memo{};

  [[nodiscard]] std::size_t bytes() const { return analysis.bytes() + memo.bytes(); }
};

}  // namespace ctxmgr::engine
