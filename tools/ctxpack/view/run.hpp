#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/usage.hpp"

/// \file
/// What a report shows: requests one after the other, each with its receipt.
namespace ctxpack::view {

/// One request.
struct Step {
  std::string id{};      ///< Of its receipt; empty where it has none.
  std::string thread{};  ///< Conversation that it belongs to.
  std::string owner{};   ///< Whose it is; empty: nobody's.
  std::chrono::system_clock::time_point time{};
  ctxmgr::ContextUtilizationMetadata receipt{};
  ctxmgr::UsageMetadata usage{};  ///< As the service reported it; no calls: it did not.
  double cost_usd = 0;            ///< Of the input; 0: no price is known.
  double everything_usd = 0;      ///< The same, had everything been sent.
  int status = 0;                 ///< Of the answer; 0: there is none.
  std::chrono::milliseconds took{};
  std::string error{};
};

struct Run {
  std::string title{};
  bool is_live = false;  ///< The page asks for news.
  std::vector<Step> steps{};
  bool is_shared = false;  ///< Several use it, of whom each sees its own steps only, and these are nobody's.
};

}  // namespace ctxpack::view
