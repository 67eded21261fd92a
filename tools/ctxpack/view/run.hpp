#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/usage.hpp"

/// \file
/// What a report shows: requests one after the other, each with its receipt.
namespace ctxpack::view {

/// What a model was asked for summaries, before a compaction could need them.
struct Summaries {
  std::string model{};
  ctxmgr::UsageMetadata usage{};  ///< No calls: none were made.
  std::optional<double> usd{};    ///< Unset: no price is known for the model, or no tokens were reported.

  [[nodiscard]] bool are_there() const { return usage.calls > 0; }
};

/// One request.
struct Step {
  std::string id{};           ///< Of its receipt; empty where it has none.
  std::string thread{};       ///< Conversation that it belongs to.
  std::string owner{};        ///< Whose it is; empty: nobody's.
  std::string first_words{};  ///< Of its conversation's user; empty: not known.
  std::chrono::system_clock::time_point time{};
  ctxmgr::ContextUtilizationMetadata receipt{};
  ctxmgr::UsageMetadata usage{};   ///< As the service reported it; no calls: it did not.
  std::int64_t input_tokens = 0;   ///< As the service counted them, else as counted here.
  std::int64_t cached_tokens = 0;  ///< Those of them that came from a cache; see `cached_of()`.
  double cost_usd = 0;             ///< Of the input; 0: no price is known.
  double everything_usd = 0;       ///< The same, had everything been sent.
  Summaries summaries{};           ///< Made after it, of what it sent.
  int status = 0;                  ///< Of the answer; 0: there is none.
  std::chrono::milliseconds took{};
  std::string error{};
};

/// The requests of one conversation, added up; the last one's figures.
struct Conversation {
  std::string thread{};
  std::string owner{};
  std::string first_words{};  ///< Of its user; empty: not known.
  std::string model{};
  std::int64_t requests = 0;
  std::int64_t used = 0;    ///< Tokens.
  std::int64_t budget = 0;  ///< Tokens.
  std::int64_t sent = 0;    ///< Tokens of messages.
  std::int64_t everything = 0;
  double saved_usd = 0;   ///< Over all requests, less the price of summaries.
  Summaries summaries{};  ///< Of all requests.
  bool is_priced = false;
  std::chrono::system_clock::time_point last{};
};

struct Run {
  std::string title{};
  bool is_live = false;  ///< The page asks for news.
  std::vector<Step> steps{};
  bool is_shared = false;  ///< Several use it, of whom each sees its own steps only, and these are nobody's.
  std::vector<Conversation>
      conversations{};      ///< In place of steps: which there are. One of them: what its steps are of.
  bool is_unknown = false;  ///< The conversation that was asked for is none of these.
  std::string address{};    ///< Of the proxy, for agents; empty: there is none.
  std::string notice{};     ///< A sentence above all; empty: none.
};

}  // namespace ctxpack::view
