#pragma once
#include <cstddef>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ctxmgr/core/history.hpp"

namespace ctxmgr {

/// Goes over a history once, finds what no service would take, and mends it if that is wanted. A history that grows can be
/// read on: what was read stays read.
class HistoryReader {
 public:
  enum class Purpose { check, mend };
  explicit HistoryReader(Purpose purpose) : mends_(purpose == Purpose::mend) {}

  /// Reads the messages that it has not seen; `messages` begins with those that it has.
  void read(const std::vector<ConversationMessage>& messages);

  /// One for each thing that is wrong, with message and id.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// What was read, mended. Once.
  [[nodiscard]] MendedHistory mended() &&;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct OpenCall {
    std::string written;  ///< The id as it stands in the history.
    std::string id;       ///< As it is sent.
    std::size_t message;
    bool answered = false;
  };

  void note(std::size_t message, const std::string& id, const std::string& what);
  bool is_new(const std::string& id);
  std::string fresh_id(const std::string& id);
  void open_call(OpenCall call);
  void read_message(const ConversationMessage& message);
  void read_result(const ConversationMessage& result);
  void quote(const ConversationMessage& result);
  void close_calls();

  const bool mends_;
  std::size_t at_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::string> notes_;
  std::vector<OpenCall> calls_;                                       ///< The calls of the last message that made any.
  std::unordered_map<std::string, std::queue<std::size_t>> waiting_;  ///< Those without a result, by their written id.
  std::unordered_set<std::string> ids_;
  std::vector<ConversationMessage> mended_;
  std::vector<ConversationMessage> quotes_;
  std::size_t renamed_ = 0;
};

}  // namespace ctxmgr
