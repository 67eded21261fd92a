#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/build/layout_values.hpp"
#include "engine/history/steered_history.hpp"
#include "engine/history/suffix.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/history/thread_state.hpp"

/// A thread between two requests as a value, what it grows within, and what it counts.
namespace ctxmgr::engine {

/// Of the room, what documents of the request may take, and what they keep when a thread has to give way:
/// docs/context-layout.md.
inline constexpr double documents_share = 0.5;
inline constexpr double least_documents_share = 0.25;

/// Of the room, what notes keep for the user's rules until everything else gave way.
inline constexpr double rules_share = 0.05;

/// Of the room, what a result may take when it comes: docs/context-layout.md.
inline constexpr double result_share = 0.4;

/// What rules of tools and a former question's reasoning take away at a compaction.
struct Steering {
  SteeredHistory rules{};
  std::size_t reasoning_before = 0;          ///< Messages before it are sent without their reasoning.
  std::vector<std::int64_t> saved_before{};  ///< What the groups before each group count less; empty: nothing.
};

/// What is sent of a thread that goes on, from one build to the next.
struct GrownThread {
  std::size_t cut = 0;           ///< Groups that begin before this message are left out.
  std::size_t compacted_at = 0;  ///< So many messages there were at the last compaction; 0: there was none.
  HeadRoom head{};               ///< What task, notes and states may take.
  std::int64_t task_tokens = 0;  ///< What the task before the cut counts: a function of the cut and of `head`.
  bool is_filled =
      false;  ///< History before the cut has the room that notes and evidence left; once for each compaction.
  std::map<std::size_t, std::int64_t> extracts{};  ///< Results that are sent as extracts of so many tokens.
  std::vector<ShownEvidence> evidence{};
  std::int64_t documents = 0;  ///< What the block of documents may take.
  Steering steering{};
  std::vector<std::size_t> kept{};  ///< The host keeps these groups before the cut, named by their first messages.
  std::int64_t kept_tokens = 0;
  std::string host_text{};
  std::vector<ConversationMessage> behind{};  ///< What stands behind the notes.
  std::int64_t behind_tokens = 0;
  std::optional<CompactionReport> compaction{};

  /// Set where no build before is known: room for the evidence of any question so far, instead of the evidence itself.
  std::optional<std::int64_t> set_aside{};
};

/// What the messages of a growing thread count as they are sent: a result that is too large counts what its extract does. All of
/// it follows from the messages, the rules of their tools and the room, and stays the same while the thread grows.
class SentSizes {
 public:
  /// `from`: nobody asks for what groups before the one of this message count. `room`: what shares of results are shares of.
  SentSizes(const LayoutInput& input, std::size_t from, std::int64_t room);

  [[nodiscard]] bool is_result(std::size_t message) const;

  /// What a result may take when it comes: its share of the room, or as the rule of its tool says.
  [[nodiscard]] std::int64_t most_of_result(std::size_t message) const;

  /// What a result counts where it is sent as an extract of at most so many tokens.
  [[nodiscard]] std::int64_t as_extract(std::size_t message, std::int64_t most) const;

  /// What a message counts that was shortened by nothing but its size.
  [[nodiscard]] std::int64_t of_message(std::size_t message) const;

  /// What a group of the kept history counts; 0 for a fixed one, which counts elsewhere.
  [[nodiscard]] std::int64_t of(const Group& group) const;

  /// The groups from the one that holds message `first` up to the one that holds message `end`.
  [[nodiscard]] std::int64_t between(std::size_t first, std::size_t end) const;

  /// The group that holds the message; behind the last message the number of groups.
  [[nodiscard]] std::size_t group_at(std::size_t message) const;

 private:
  const ThreadAnalysis& thread_;
  const std::vector<ConversationMessage>& history_;
  const SuffixPlanner& suffixes_;
  ToolResultViews& views_;
  ThreadMemo& memo_;
  bool has_handles_;
  std::size_t question_;
  std::int64_t question_tokens_;  ///< As it is sent: it may be shortened.
  std::size_t from_;
  std::int64_t room_;
  std::int64_t least_rule_;                  ///< The smallest limit that a rule has; 0: none has one.
  std::vector<std::int64_t> tokens_before_;  ///< The sum of all groups before each group.
};

/// What a thread grows within. Nothing of it changes while the thread grows.
struct GrowthTerms {
  const LayoutInput& input;
  bool is_loop = false;               ///< An agent works in the thread.
  std::int64_t documents_wanted = 0;  ///< What documents of the request would take; 0: nothing.
  std::size_t question = 0;           ///< The message that asks.
  std::int64_t room = 0;              ///< What shares are shares of.
  std::int64_t limit = 0;             ///< What may stand: the room without steps of this turn that are no messages.
  SentSizes sizes;

  [[nodiscard]] const Prepared& prepared() const { return input.prepared; }
  [[nodiscard]] const ThreadAnalysis& thread() const { return input.prepared.thread(); }
  [[nodiscard]] const SuffixPlanner& suffixes() const { return *input.prepared.suffixes; }
  [[nodiscard]] const TokenCounter& counter() const { return *input.prepared.counter; }
  [[nodiscard]] const HistoryPolicy& policy() const { return input.inputs.request.history; }
  [[nodiscard]] const std::vector<ConversationMessage>& history() const {
    return input.inputs.context.conversation_history;
  }
};

/// What documents of the request may take: of a loop their share, since its steps come behind them, of a chat all that is free.
[[nodiscard]] std::int64_t most_documents(bool is_loop, std::int64_t room);

/// The terms of this build, which has a question.
[[nodiscard]] GrowthTerms growth_terms(const LayoutInput& input, bool is_loop, std::int64_t documents_wanted);

/// The task of the thread if it were cut there. Its tokens do not depend on what the host keeps.
[[nodiscard]] ThreadHead task_of(const GrowthTerms& terms, const GrownThread& thread, std::size_t cut);

/// The same with the notes, as they are without summaries.
[[nodiscard]] ThreadHead made_head(const GrowthTerms& terms, const GrownThread& thread);

/// The same thread with that cut, and the task that stands before it.
[[nodiscard]] GrownThread with_cut(const GrowthTerms& terms, GrownThread thread, std::size_t cut);

/// The same thread with these groups kept by the host.
[[nodiscard]] GrownThread with_kept(const GrowthTerms& terms, GrownThread thread, std::vector<std::size_t> groups);

/// The same thread with what stands behind its notes: the latest states that its cut hides, and the host's text.
[[nodiscard]] GrownThread with_behind(const GrowthTerms& terms, GrownThread thread);

/// What rules and reasoning take away at a compaction of the first `compacted_at` messages; 0: nothing.
[[nodiscard]] Steering steering_at(const GrowthTerms& terms, std::size_t compacted_at);

/// Where the newest step among the first `end` messages begins: with the last message of the assistant.
[[nodiscard]] std::size_t newest_step(const GrowthTerms& terms, std::size_t end);

/// How many of the latest states a cut hides.
[[nodiscard]] std::size_t states_before(const GrownThread& thread, std::size_t cut);

[[nodiscard]] bool hides_anything(const GrownThread& thread);

/// What evidence of questions counts.
[[nodiscard]] std::int64_t evidence_tokens(const GrownThread& thread);

/// The room that a compaction sets aside.
struct MadeRoom {
  std::int64_t notes = 0;
  std::int64_t evidence = 0;  ///< For the task of a loop; 0 in a chat, where each question has evidence of its own.
};

/// By the shares of the policy, evidence at least 800 tokens, or 0.2 if that is less. A task of many tokens leaves less for its evidence.
/// Task recall of six sources at 4 000 tokens: 74.6 % by the shares alone, 80.8 % so, at the same price.
[[nodiscard]] MadeRoom room_for_made(const GrowthTerms& terms, std::int64_t task_tokens);

/// What the notes may take: what the compaction's own evidence leaves of what is set aside for both.
[[nodiscard]] std::int64_t most_notes(const HistoryPolicy& policy, const GrownThread& thread);

/// The groups between two messages as they are sent: with the thread's extracts, without what is steered away.
[[nodiscard]] std::int64_t tokens_between(const GrowthTerms& terms, const GrownThread& thread, std::size_t first,
                                          std::size_t end);

/// What would be sent of the first `end` messages, all in all, where notes and the evidence of the compaction fill what is set aside
/// for both.
[[nodiscard]] std::int64_t standing(const GrowthTerms& terms, const GrownThread& thread, std::size_t end);

}  // namespace ctxmgr::engine
