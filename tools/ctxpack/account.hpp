#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "runs.hpp"
#include "wanted.hpp"

/// \file
/// What the requests of a run cost, and what they keep.
namespace ctxpack {

/// How many texts were wanted, and how many of them were there.
struct Recall {
  std::int64_t asked = 0;
  double found = 0;

  Recall& operator+=(const Recall& other);
};

/// Sums over steps.
struct Figures {
  std::int64_t steps = 0;
  std::int64_t failed = 0;
  std::int64_t over_budget = 0;  ///< Steps.
  std::int64_t tokens = 0;       ///< Input, tools included.
  std::int64_t cached = 0;       ///< Of those, what a prompt cache that never forgets would have read.
  std::int64_t evaluated = 0;    ///< Of those, what stands behind the common beginning with the request before.
  double usd = 0;                ///< Of the input, at the catalogue's prices.
  std::int64_t rewrites = 0;     ///< Requests that do not begin with the whole request before.
  std::int64_t compactions = 0;  ///< Requests that lack a message of the run which the request before had as it was.
  std::int64_t torn = 0;         ///< Requests with a call without its result, or a result without its call.
  std::map<std::pair<Measure, std::string>, Recall> recalls{};  ///< By form, and by "" for all forms.

  Figures& operator+=(const Figures& other);
  [[nodiscard]] Recall recall(Measure measure, const std::string& form = {}) const;
};

/// The messages of one run, and of all requests made of it, as numbers: equal messages have the same.
class MessagePool {
 public:
  MessagePool(const RecordedRun& run, const ctxmgr::TokenCounter& counter);

  [[nodiscard]] std::size_t add(const ctxmgr::ConversationMessage& message);
  [[nodiscard]] std::int64_t tokens(std::size_t number) const { return entries_[number].tokens; }
  /// The share of a wanted text that the messages of a request have. It outlives the pool.
  [[nodiscard]] double found(const Wanted& wanted, const std::vector<std::size_t>& request);
  /// Whether calls and results stand together in this request.
  [[nodiscard]] bool is_whole(const std::vector<std::size_t>& request) const;
  [[nodiscard]] const ctxmgr::TokenCounter& counter() const { return counter_; }
  /// The run's own messages, by position.
  [[nodiscard]] const std::vector<std::size_t>& run() const { return run_; }
  [[nodiscard]] bool is_of_run(std::size_t number) const { return number < own_; }
  /// Tokens that two messages have in common at their beginning.
  [[nodiscard]] std::int64_t common_tokens(std::size_t a, std::size_t b) const;

 private:
  struct Entry {
    ctxmgr::Role role;
    std::string content;
    std::string searched;
    std::string flat;
    std::int64_t tokens = 0;
    std::vector<std::string> calls{};  ///< Ids.
    std::string answered{};            ///< Id of the call that a result is of.
    std::unordered_map<const std::string*, bool> found{};
  };

  /// Whether the message has this one of the wanted texts, or all of them where they have to stand near each other.
  [[nodiscard]] bool has(std::size_t number, const Wanted& wanted, const std::string& text);
  [[nodiscard]] bool search(std::size_t number, const Wanted& wanted, const std::string& text) const;

  const ctxmgr::TokenCounter& counter_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> run_;
  std::size_t own_ = 0;
};

/// What all requests of a run are judged by.
struct Scale {
  ctxmgr::ModelInfo model{};
  std::int64_t budget = 0;
  std::int64_t tools_tokens = 0;  ///< They stand before the messages.
  Wants wants{};
};

/// Adds up the requests that one policy sends for one run.
class Account {
 public:
  Account(MessagePool& pool, const Scale& scale) : pool_(pool), scale_(scale) {}

  /// The request, as numbers of the pool, before the run's message `step`.
  void sent(std::size_t step, const std::vector<std::size_t>& request);
  void failed() { ++figures_.failed; }
  [[nodiscard]] const Figures& figures() const { return figures_; }

 private:
  struct Node {
    std::map<std::size_t, std::unique_ptr<Node>> following;
  };

  /// Tokens of the longest beginning that an earlier request had, too.
  [[nodiscard]] std::int64_t cached_tokens(const std::vector<std::size_t>& request) const;
  /// Tokens of the beginning that the request before had, too.
  [[nodiscard]] std::int64_t kept_tokens(const std::vector<std::size_t>& request) const;
  void remember(const std::vector<std::size_t>& request);
  void price(const std::vector<std::size_t>& request);
  void compare(const std::vector<std::size_t>& request);

  MessagePool& pool_;
  const Scale& scale_;
  Figures figures_;
  Node requests_;
  std::vector<std::size_t> before_;
};

}  // namespace ctxpack
