#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/history/history_reader.hpp"
#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/tool_rules.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/history/message_parts.hpp"
#include "engine/history/thread_roles.hpp"
#include "engine/history/user_words.hpp"
#include "engine/index/fingerprint.hpp"
#include "engine/index/text_index.hpp"
#include "ports/deadline.hpp"

namespace ctxmgr::engine {

/// Messages that are sent together or not at all: a user message, an assistant text, or an assistant message with tool
/// calls and all its results. [first, last).
struct Group {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t tokens = 0;      ///< What it counts where nothing is shortened.
  bool fixed = false;           ///< System, pinned, or with a call that has no result yet: always sent, whole.
  bool pinned = false;          ///< The host pinned it, or a rule says that its tool is never cut.
  bool pinned_by_rule = false;  ///< A rule alone pinned it.
  bool released = false;        ///< It was pinned, but pins filled the room.
  bool may_go_first = false;    ///< Rules let all of its calls go before what is older.
  bool has_state = false;       ///< One of its calls writes a state whose latest is kept.
  bool repeats = false;         ///< The group before it made the same calls and had the same results.
  bool is_precious = false;     ///< One of its calls cannot be made again for the same.
  bool pending = false;         ///< It has a call without a result.
  bool has_results = false;
  bool compacted = false;  ///< It holds what a service made of all before it; the newest such is always sent.
  bool has_media = false;  ///< A user's message in it has images or files, which go before words do.
};

/// What is known of a conversation, found once for each message. Histories are append-only, so it only grows. Nothing here
/// depends on the question or the budget. Kept between builds in a cache, and made anew where that is lost.
/// Thread-safety: none; a build has it to itself.
class ThreadAnalysis {
 public:
  ThreadAnalysis() = default;
  /// Groups are what these say of their tools.
  explicit ThreadAnalysis(ToolRules rules) : rules_(std::move(rules)) {}

  /// Reads the messages that it has not seen. `messages` begins with those that it has. `invalid_argument` for what
  /// `check_history()` finds wrong.
  [[nodiscard]] Result<void> extend(const std::vector<ConversationMessage>& messages, const TokenCounter& counter);

  /// Whether what it has read is what messages with these hashes begin with: by everything that a build looks at.
  [[nodiscard]] bool has_read_beginning_of(const std::vector<std::uint64_t>& hashes) const;

  /// Pinned groups that begin with these messages become groups like others, and no others do. Sorted. Whether that changes
  /// anything: what was made of the groups before is of no use then.
  [[nodiscard]] bool release(std::vector<std::size_t> first_messages, const std::vector<ConversationMessage>& messages);
  [[nodiscard]] const std::vector<std::size_t>& released() const { return released_; }

  [[nodiscard]] const ToolRules& rules() const { return rules_; }
  /// Whether rules let anything go first, or keep a state.
  [[nodiscard]] bool is_steered() const { return is_steered_; }

  /// Tokens of a message's reasoning, which is not sent of turns that are over once the thread is compacted.
  [[nodiscard]] std::int64_t reasoning_tokens(std::size_t message) const {
    const auto of = reasoning_.find(message);
    return of == reasoning_.end() ? 0 : of->second;
  }
  /// Of all messages that have any.
  [[nodiscard]] const std::map<std::size_t, std::int64_t>& reasoning() const { return reasoning_; }

  void read_user_words(const std::vector<ConversationMessage>& messages) { user_words_.extend(messages); }

  /// Adds messages [indexed, last) to the search index while there is time; those that are always sent as empty texts.
  void index_up_to(std::size_t last, const std::vector<ConversationMessage>& messages, Pace& pace);

  /// What the index knew of message `i`, with this text, when it was added: it keeps the newest only.
  [[nodiscard]] ItemAnalysis analyze(const std::vector<ConversationMessage>& messages, std::size_t i,
                                     const MessageText& text) const;

  [[nodiscard]] std::size_t size() const { return message_tokens_.size(); }
  [[nodiscard]] std::int64_t tokens_of(std::size_t message) const { return message_tokens_[message]; }
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] std::size_t group_of(std::size_t message) const { return group_of_[message]; }

  /// Tokens of all groups before this one that are not fixed.
  [[nodiscard]] std::int64_t free_tokens_before(std::size_t group) const { return free_tokens_before_[group]; }
  [[nodiscard]] std::int64_t fixed_tokens() const { return fixed_tokens_; }  ///< What all fixed groups count.
  [[nodiscard]] const std::vector<std::size_t>& fixed_groups() const { return fixed_groups_; }
  /// Tool results behind messages, oldest first, and the message that each is behind.
  [[nodiscard]] const std::vector<Artifact>& historical_artifacts() const { return historical_artifacts_; }
  [[nodiscard]] std::size_t message_behind(std::size_t historical) const { return historical_messages_[historical]; }
  [[nodiscard]] const std::vector<std::size_t>& user_messages() const { return user_messages_; }
  [[nodiscard]] const ThreadRoles& roles() const { return roles_; }
  /// What stands before this message goes first: the newest that holds a service's own compaction; 0 without one.
  [[nodiscard]] std::size_t first_to_send() const { return compacted_group_ ? groups_[*compacted_group_].first : 0; }
  [[nodiscard]] bool has_media() const { return has_media_; }  ///< Whether any group has media.
  [[nodiscard]] const UserSentences& user_words() const { return user_words_; }
  [[nodiscard]] const TextIndex& index() const { return index_; }

  /// Of a message alone, whatever stands before it.
  [[nodiscard]] std::uint64_t hash_of(std::size_t message) const { return hashes_[message]; }

  /// Chained over all messages seen: two histories with the same one are the same.
  [[nodiscard]] Fingerprint fingerprint() const { return chain_.empty() ? Fingerprint{} : chain_.back(); }
  /// The same, of the first `count` messages.
  [[nodiscard]] Fingerprint fingerprint_at(std::size_t count) const {
    return count == 0 ? Fingerprint{} : chain_[count - 1];
  }

  [[nodiscard]] std::size_t bytes() const;

  /// The index without the analyses of its newest messages, which are made again for those that a question finds.
  void forget_analyses() { index_.forget_all_but_newest(0); }

  /// Without the search index, which is by far the largest part, and is made anew where it is needed.
  void forget_index() { index_ = TextIndex(); }

 private:
  void read_steps(const ConversationMessage& message, std::size_t position);
  void reopen_last_group();
  void close_group(Group group);
  void let_go_of_former_compaction();
  void read_groups(const std::vector<ConversationMessage>& messages);

  ToolRules rules_;
  std::vector<std::size_t> released_;
  bool is_steered_ = false;
  std::map<std::size_t, std::int64_t> reasoning_;
  std::vector<std::int64_t> message_tokens_;
  std::vector<std::size_t> group_of_;
  std::vector<Fingerprint> chain_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Group> groups_;
  std::vector<std::int64_t> free_tokens_before_{0};
  std::int64_t fixed_tokens_ = 0;
  bool has_media_ = false;
  std::vector<std::size_t> fixed_groups_;
  std::optional<std::size_t> compacted_group_;
  std::vector<Artifact> historical_artifacts_;
  std::vector<std::size_t> historical_messages_;
  std::size_t historical_bytes_ = 0;
  std::vector<std::size_t> user_messages_;
  HistoryReader reader_{HistoryReader::Purpose::check, no_demands};  // What services demand is asked before.
  ThreadRoles roles_;
  UserSentences user_words_;
  TextIndex index_;
};

/// "tool(arguments)": what a call is known by.
[[nodiscard]] std::string written(const ToolCall& call);

/// The text that message `i` has in the index of its thread.
[[nodiscard]] MessageText indexed_text(const ThreadAnalysis& thread, const std::vector<ConversationMessage>& messages,
                                       std::size_t i);

/// The tool call that a tool message answers; null where there is none.
[[nodiscard]] const ToolCall* call_answered_by(const std::vector<ConversationMessage>& messages, std::size_t message);

/// A tool message as an artifact: how it is extracted and archived.
[[nodiscard]] Artifact artifact_of_message(const std::vector<ConversationMessage>& messages, std::size_t message);

/// Over everything of a message that is sent.
[[nodiscard]] Fingerprint message_fingerprint(const ConversationMessage& message, Fingerprint before);

}  // namespace ctxmgr::engine
