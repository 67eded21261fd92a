#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/history/history_demands.hpp"
#include "core/history/open_calls.hpp"
#include "core/history/server_calls.hpp"
#include "ctxmgr/core/history.hpp"

namespace ctxmgr {

/// `check_history()` for a service with these demands.
[[nodiscard]] Result<void> check_history(const std::vector<ConversationMessage>& messages,
                                         const HistoryDemands& demands);

/// Goes over a history once, finds what no service would take, and mends it if that is wanted. A history that grows can be
/// read on: what was read stays read.
class HistoryReader {
 public:
  enum class Purpose { check, mend };
  explicit HistoryReader(Purpose purpose, const HistoryDemands& demands = {})
      : mends_(purpose == Purpose::mend), demands_(demands) {}

  /// Reads the messages that it has not seen; `messages` begins with those that it has.
  void read(const std::vector<ConversationMessage>& messages);

  /// There are no more messages for now: calls that wait beside others that have their result are wrong. Nothing is read after.
  void end();

  /// Whether `end()` would find nothing wrong so far. Of one that checks.
  [[nodiscard]] bool is_well() const { return notes_.empty() && !is_torn(); }

  [[nodiscard]] const HistoryDemands& demands() const { return demands_; }
  [[nodiscard]] std::size_t messages_read() const { return at_; }

  /// One for each thing that is wrong, with message and id.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// A result without its call.
  struct LostResult {
    std::size_t message;  ///< Its place in the history.
    ConversationMessage result;
  };
  /// They are in nothing that was mended. Once.
  [[nodiscard]] std::vector<LostResult> take_lost_results() { return std::move(lost_); }

  /// What was read, mended: a result that came after later messages stands behind its call, "no result: interrupted" where a call
  /// has none. A call whose id is missing, was used before or has a form that the service refuses has another, and arguments that
  /// are no object stand in one. A result belongs to the nearest open call of its id, by the same agent where both say one. Empty
  /// messages are left out, but for a user's word between two of the assistant's: "Continue." Once.
  [[nodiscard]] std::vector<ConversationMessage> take_mended();

  /// Where in what was mended results stand that nobody gave.
  [[nodiscard]] std::vector<std::size_t> take_put_in() { return std::move(put_in_); }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct OpenCall {
    std::string written;  ///< The id as it stands in the history.
    std::string id;       ///< As it is sent.
    std::size_t message;
    std::string agent{};
    bool answered = false;
  };

  /// A call that messages followed before its result.
  struct ClosedCall {
    OpenCall call;
    std::size_t put_in;  ///< Where in what was mended a result stands in its place.
    std::size_t note;
  };

  [[nodiscard]] bool is_torn() const;
  void read_one(const ConversationMessage& given);
  void leave_out(const ConversationMessage& message, bool has_breakpoint);
  void read_spoken(const ConversationMessage& message);
  [[nodiscard]] std::optional<ConversationMessage> without_lost_results(const ConversationMessage& message);
  void close_server_calls();
  void note(std::size_t message, const std::string& id, const std::string& what);
  bool is_new(const std::string& id);
  bool is_taken_as_it_is(const std::string& id);
  std::string fresh_id(const std::string& id);
  void open_call(OpenCall call, const std::string& agent);
  bool has_wrong_arguments(const ToolCall& call) const;
  void read_message(const ConversationMessage& message);
  void read_result(const ConversationMessage& result);
  void close_calls();
  bool put_behind_call(const ConversationMessage& result);

  const bool mends_;
  const HistoryDemands demands_;
  std::size_t at_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::string> notes_;
  std::vector<OpenCall> calls_;  ///< Of the last message that made any.
  OpenCalls waiting_;            ///< Those without a result, by their written id.
  std::unordered_set<std::string> ids_;
  std::vector<ConversationMessage> mended_;
  std::vector<std::size_t> put_in_;
  std::vector<LostResult> lost_;
  std::vector<ClosedCall> closed_;  ///< Of one that mends.
  std::size_t renamed_ = 0;
  ServerCalls server_calls_;
  Role last_role_ = Role::system;  ///< Of the last message that is sent.
  bool has_refused_form_ = false;  ///< An id's form was noted: once is enough.
};

}  // namespace ctxmgr
