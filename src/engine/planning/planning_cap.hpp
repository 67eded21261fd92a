#pragma once
#include <cstdint>
#include <optional>

#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/usage.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {

/// What calls take.
struct Spending {
  std::int64_t tokens = 0;
  double usd = 0;
};

[[nodiscard]] Spending spending_of(const UsageMetadata& usage, const ModelInfo& model);

/// The most that a call can take: its messages, and all that its reply may count.
[[nodiscard]] Spending most_of(const LlmRequest& request, const TokenCounter& counter, const ModelInfo& model);

/// The tokens that plans and summaries may still take. A value.
class PlanningCap {
 public:
  /// `before`: what the thread has taken.
  PlanningCap(const PlanningPolicy& policy, std::int64_t before);
  PlanningCap() = default;  ///< There is no limit.

  [[nodiscard]] bool is_limited() const { return left_.has_value(); }
  [[nodiscard]] bool allows(std::int64_t most) const { return !left_ || most <= *left_; }

  /// What was taken, or is set aside; with a negative sign, what is given back.
  void take(std::int64_t tokens);

  /// The same, where it is more than is left.
  [[nodiscard]] std::int64_t within(std::int64_t most) const;

 private:
  std::optional<std::int64_t> left_;
};

}  // namespace ctxmgr::engine
