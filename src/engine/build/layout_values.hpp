#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/engine/selection.hpp"
#include "engine/build/prepare.hpp"
#include "engine/history/thread_evidence.hpp"
#include "engine/history/thread_head.hpp"

/// What the layout is made from, and what it is.
namespace ctxmgr::engine {

/// Everything that sharing the room depends on. All of it outlives the layout.
struct LayoutInput {
  const BuildInputs& inputs;
  const Prepared& prepared;
  KnownThread& known;  ///< Its search index grows as older messages leave the suffix, and it remembers what was found.
  Pace& pace;          ///< Older messages are read while it allows.
  EmbeddingRun* embeddings = nullptr;  ///< It is set where there is an embedder and the build may ask it.
};

/// Evidence with the message that shows it.
struct ShownEvidence {
  ThreadEvidence made{};
  ConversationMessage message{};
  std::int64_t tokens = 0;
};

/// How the room is shared, and what the deterministic planner would put into the block.
struct Layout {
  Suffix suffix{};
  ThreadHead head{};                      ///< What is sent before it.
  std::size_t compacted_at = 0;           ///< So many messages there were at the last compaction; 0: there was none.
  HeadRoom head_room{};                   ///< What task and notes were made within.
  bool grows = false;                     ///< The thread goes on: each evidence stands where it was made.
  std::vector<ShownEvidence> evidence{};  ///< Evidence of a thread that goes on, in the order in which it was made.
  std::vector<NotedSummary> summaries{};  ///< Summaries for the notes, whether or not there is room for them.
  bool lost_summaries = false;            ///< One that the notes had is in the cache no more.
  std::string host_text{};                ///< What the host's hook said, behind the notes.
  std::optional<CompactionReport> compaction{};  ///< What this build compacted; nullopt: nothing.
  std::int64_t block_tokens = 0;                 ///< What all of the block may take.
  bool everything = false;                       ///< Nothing is cut or shortened.
  Fingerprint turn{};                            ///< The turn that the block is made for: its query and artifacts.
  bool same_question = false;  ///< It is the turn of the build before, and the block is made as there.
  std::vector<std::optional<SelectedText>> items{};  ///< The deterministic view of each item; nullopt: left out.
  std::vector<double> relevance{};                   ///< How relevant each item is, 0 to 1.
  std::vector<std::size_t> repeats{};                ///< Items left out because others say the same, ascending.
  std::vector<SelectedText> older{};                 ///< Excerpts of messages before the cut; `index` is the message.
  std::size_t hinted_by = 0;                   ///< So many messages of the history said what the question refers to.
  std::vector<std::string> hints{};            ///< The words that say it, newest message first.
  std::shared_ptr<EmbeddingRun> embeddings{};  ///< What was asked of the embedder; null where there is none to ask.
  UsageMetadata embedder_usage{};
  std::string embedder_error{};
};

}  // namespace ctxmgr::engine
