#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "account.hpp"

/// \file
/// What `simulate` prints.
namespace ctxpack {

/// What was replayed, added up by policy; the first policy sends everything.
struct Totals {
  std::size_t runs = 0;
  std::size_t runs_over_budget = 0;  ///< Of which not everything can be sent.
  std::size_t left_out = 0;          ///< Runs that a file of requests has nothing of.
  std::vector<std::pair<std::string, Figures>> policies{};
  std::string first_error{};

  /// Adds to the policy of this name.
  void add(const std::string& policy, const Figures& figures);
};

/// What a request costs: money of a model's service, or tokens that a local model evaluates.
enum class Price { model, local, unknown };

struct Heading {
  std::int64_t budget = 0;
  std::string model{};
  bool is_exact = true;
  Price price = Price::model;
};

[[nodiscard]] std::string table_of(const Heading& heading, const Totals& totals);
[[nodiscard]] std::string json_of(const Heading& heading, const Totals& totals);

}  // namespace ctxpack
