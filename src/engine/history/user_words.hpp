#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// What users said in their own words: not what they quote or paste. Read once for each message, as histories are
/// append-only. Thread-safety: none; a build has it to itself.
class UserSentences {
 public:
  struct Sentence {
    std::string text{};
    bool instructs = false;     ///< Whether `instructs()` holds for it outside of quotes.
    bool orders = false;        ///< Whether `orders()` does.
    bool is_question = false;   ///< It asks, and says nothing beside.
    bool says_nothing = false;  ///< "No, stop.", "Thanks!"
    bool follows = false;       ///< It stands on the line of the one before, behind a blank.
    std::size_t length = 0;     ///< Code points.
  };

  /// Reads the messages that it has not seen. `messages` begins with those that it has.
  void extend(const std::vector<ConversationMessage>& messages);

  [[nodiscard]] std::size_t size() const { return sentences_.size(); }
  /// None of messages of other roles. Of users' own words beyond 2 000 characters those before the first blank line and behind the last.
  [[nodiscard]] const std::vector<Sentence>& of(std::size_t message) const { return sentences_[message]; }
  /// Whether words of a user's message may be somebody else's: then they are never shown as the user's voice.
  [[nodiscard]] bool may_be_pasted(std::size_t message) const { return may_be_pasted_[message]; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::vector<Sentence>> sentences_;
  std::vector<bool> may_be_pasted_;
  std::size_t bytes_ = 0;
};

struct UserWordsRequest {
  std::vector<std::size_t> turns{};                      ///< What the user said and is not sent any more, oldest first.
  std::function<std::int64_t(std::size_t)> number_of{};  ///< What a turn is called.
  std::int64_t limit = 0;                                ///< Tokens.
  std::function<std::int64_t(std::string_view)> count{};
  bool only_rules = false;  ///< Without the last step of `quote_user_words()`.
};

/// Lines of quotes, in the order said.
struct QuotedWords {
  std::string own{};            ///< Of messages that hold nothing but the user's words.
  std::string may_be_pasted{};  ///< Of messages that may hold words of others, too: for within a fence.
};

/// What the user said, as far as it fits, in this order:
/// 1. rules, the short ones first, each with its short neighbours on the line, which may give it its noun; then its longer neighbours;
/// 2. orders;
/// 3. all messages of one short sentence, if all of them fit, then all short sentences, if all of them fit: no list has all words by
///    which people order something;
/// 4. unless `only_rules`: sentences with a name or figure, then those with a capital within, then the rest.
/// Questions and empty talk are left out of 2 to 4. Each turn has a line, in the order said, so what takes a rule back stands behind it.
/// A sentence that was said again stands once, where it was said last.
///
///     [12] "Always answer in German. Never use tables." "Be brief."
///     [20] "The invoice was sent in March."
[[nodiscard]] QuotedWords quote_user_words(const UserSentences& sentences, const UserWordsRequest& request);

/// The sentences that instruct, each with its short neighbours on the line.
[[nodiscard]] std::vector<std::string> rules_of(const std::vector<UserSentences::Sentence>& turn);

}  // namespace ctxmgr::engine
