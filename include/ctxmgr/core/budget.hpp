#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ctxmgr/core/export.hpp"
namespace ctxmgr {

/// The share of the model's window that may be filled: 0.33, 0.66 or all of it.
enum class ContextUtilization { low, medium, full };
[[nodiscard]] CTXMGR_API std::string_view to_string(ContextUtilization value);

/// How many tokens a build may use. Every field has a default.
struct BudgetOptions {
  ContextUtilization utilization = ContextUtilization::full;  ///< Not used where `max_input_tokens` is set.

  /// The most tokens of a request, messages and tool definitions together, whatever the window. Unset: from the window.
  std::optional<std::int64_t> max_input_tokens{};

  /// The model's window, whatever the catalogue says. Unset: from the catalogue, and for a name that it does not know, a build
  /// that needs the window is `invalid_argument`.
  std::optional<std::int64_t> context_window_tokens{};

  /// Kept free for the reply when the budget comes from the window. Unset: 4 096 or a quarter of the usable window,
  /// whichever is less.
  std::optional<std::int64_t> reserved_output_tokens{};

  /// Real over counted tokens for this model, learned by `calibrated()`. It divides a budget that comes from the window, and
  /// above 1.0 a given `max_input_tokens`, too. 1.0: trust the counter. Where tokens are only estimated, a budget that comes
  /// from the window is divided by 1.3 besides.
  double calibration = 1.0;
};

/// The next calibration, from one call's counted and reported tokens: a fifth of the way there, at most 0.15 at once,
/// within 0.5 and 2.0. Pure: the host keeps the number, so that builds stay reproducible.
[[nodiscard]] constexpr double calibrated(double calibration, std::int64_t counted_tokens, std::int64_t real_tokens) {
  if (counted_tokens <= 0 || real_tokens <= 0) return calibration;
  const double ratio = static_cast<double>(real_tokens) / static_cast<double>(counted_tokens);
  const double step = (ratio - calibration) * 0.2;
  const double next = calibration + (step > 0.15 ? 0.15 : step < -0.15 ? -0.15 : step);
  return next > 2.0 ? 2.0 : next < 0.5 ? 0.5 : next;
}

/// The budget for one more try where a service refused the request as too long (`context_length_exceeded`). The build has four
/// fifths of the tokens that were sent, so that the same is not sent again. The calibration, which the host keeps, learns that the
/// service counted more by a fourth at least. Pure.
///
///     if (reply.error().code == ErrorCode::context_length_exceeded)
///       request.budget = after_refusal(request.budget, receipt.sent_tokens());
[[nodiscard]] inline BudgetOptions after_refusal(BudgetOptions options, std::int64_t sent_tokens) {
  options.calibration = calibrated(options.calibration, sent_tokens * 4, sent_tokens * 5);
  const double divided_by = options.calibration > 1.0 ? options.calibration : 1.0;
  const auto four_fifths = sent_tokens - sent_tokens / 5;
  options.max_input_tokens = static_cast<std::int64_t>(static_cast<double>(four_fifths) * divided_by + 0.999);
  return options;
}

}  // namespace ctxmgr
