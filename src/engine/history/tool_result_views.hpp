#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/history/message_handles.hpp"
#include "engine/history/thread_analysis.hpp"

namespace ctxmgr::engine {

/// A message as it may be sent: with less content than it has.
struct ShortenedMessage {
  ConversationMessage message{};
  std::int64_t tokens = 0;
  std::string reference{};  ///< How to read the whole, once it is kept; empty where it is not.
  bool shorter = false;     ///< False: shortening does not pay, and this is the message itself.
};

/// Tool results and images of a conversation, shortened in place. What a view looks like depends on the message, on the history
/// before it and on its target alone, never on the present question: so it keeps its bytes when the thread goes on.
/// Thread-safety: none; a build has it to itself.
class ToolResultViews {
 public:
  /// `handles` may be null: no view says how to read the whole.
  ToolResultViews(const std::vector<ConversationMessage>& messages, const ThreadAnalysis& thread,
                  const Retriever& retriever, const TokenCounter& counter, MessageHandles* handles);

  /// A user's message with names in place of its images and files. The message itself where that would not save 100 tokens.
  const ShortenedMessage& without_images(std::size_t message);

  /// The passages that matter to the turn that asked for it, in about `target` tokens; its images, if they fit.
  const ShortenedMessage& extracted(std::size_t message, std::int64_t target);

  /// Makes them anew: handles were lost.
  void forget();

 private:
  /// The message itself where its view counts no less.
  ShortenedMessage if_shorter(std::size_t message, ConversationMessage view, std::string reference) const;
  std::string question_of(std::size_t message) const;
  std::string handle_of(std::size_t message) const;

  const std::vector<ConversationMessage>& messages_;
  const ThreadAnalysis& thread_;
  const Retriever& retriever_;
  const TokenCounter& counter_;
  MessageHandles* handles_;
  std::map<std::size_t, ShortenedMessage> without_images_;
  std::map<std::pair<std::size_t, std::int64_t>, ShortenedMessage> extracted_;
};

}  // namespace ctxmgr::engine
